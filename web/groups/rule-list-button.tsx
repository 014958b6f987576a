import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { GroupList } from '../api/operations.ts';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';

const RuleDialog = lazy(lazyWithRetry(() => import('./rule-dialog.tsx')));

/** Opens the dialog that makes a list by rule, or changes `list`. */
export function RuleListButton({
  list,
  label,
  onSaved,
}: {
  list?: GroupList;
  label: string;
  onSaved?: (listId: number) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Suspense>
          <RuleDialog {...{ list, onSaved }} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
