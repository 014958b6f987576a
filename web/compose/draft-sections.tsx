import { Suspense, type ReactNode } from 'react';
import { PartSkeleton, Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { Checks } from './checks.tsx';
import { withGroups, type Draft } from './draft.ts';
import { excludeGroups } from './group-picker.tsx';
import { SendTimes } from './send-times.tsx';
import type { Check } from './use-check.ts';
import type { Preview } from './use-preview.ts';

/** The section that chooses when to send (`children`), with the resulting times in words. */
export function WhenSection({ draft, check, children }: { draft: Draft; check: Check; children: ReactNode }) {
  return (
    <Section title={t('compose.when')}>
      <Suspense fallback={<PartSkeleton height={80} />}>{children}</Suspense>
      <SendTimes draft={draft} check={check} />
    </Section>
  );
}

/** The problems of the draft; groups with problems can be removed here. */
export function CheckSection({
  draft,
  update,
  ...found
}: {
  draft: Draft;
  update: (change: Partial<Draft>) => void;
  problems: readonly string[];
  isSubmitted: boolean;
  preview: Preview;
  hasFile: boolean;
  check: Check;
}) {
  return (
    <Section title={t('compose.check')}>
      <Checks
        {...found}
        picked={draft.groups}
        onLeaveOut={(out) => update(withGroups(draft, excludeGroups(draft.groups, out)))}
      />
    </Section>
  );
}
