import { lazy, Suspense } from 'react';
import { lazyWithRetry } from './lazy-with-retry.ts';
import type { SampleKind } from './sample.tsx';

const Loaded = lazy(lazyWithRetry(() => import('./sample.tsx')));

/** A sample in an empty place. Pages without one load neither it nor its texts. */
export function Sample({ of }: { of: SampleKind }) {
  return (
    <Suspense fallback={null}>
      <Loaded of={of} />
    </Suspense>
  );
}
