import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './bottom-bar.module.css';

/** What it comes to and what can be done with it, in sight wherever the page is scrolled to. `ofForm`: as wide as the form it ends. */
export function BottomBar({ sum, ofForm = false, children }: { sum: string; ofForm?: boolean; children: ReactNode }) {
  return (
    <div className={classes.bar} data-form={ofForm || undefined} data-hides-new>
      <Text size="sm" fw={550} className={classes.sum} {...(!ofForm && { 'aria-live': 'polite' })}>
        {sum}
      </Text>
      {children}
    </div>
  );
}
