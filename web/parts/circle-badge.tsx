import type { ReactNode } from 'react';
import classes from './circle-badge.module.css';

/** A letter or a number in a circle, beside text that says the same. */
export function CircleBadge({ children }: { children: ReactNode }) {
  return (
    <span className={classes.circle} aria-hidden="true">
      {children}
    </span>
  );
}
