import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './bottom-bar.module.css';

/** A summary and its actions, sticky at the bottom. `ofForm`: as wide as the form above. */
export function BottomBar({ sum, ofForm = false, children }: { sum: string; ofForm?: boolean; children: ReactNode }) {
  return (
    <div className={classes.bar} data-form={ofForm || undefined} data-hides-fab>
      <Text size="sm" fw={550} className={classes.sum} {...(!ofForm && { 'aria-live': 'polite' })}>
        {sum}
      </Text>
      {children}
    </div>
  );
}
