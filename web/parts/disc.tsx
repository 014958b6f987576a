import type { ReactNode } from 'react';
import classes from './disc.module.css';

/** A letter or a number in a circle, beside words that say the same. */
export function Disc({ children }: { children: ReactNode }) {
  return (
    <span className={classes.disc} aria-hidden="true">
      {children}
    </span>
  );
}
