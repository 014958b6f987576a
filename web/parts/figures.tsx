import type { ReactNode } from 'react';
import { useDisconnectedSince } from '../api/connection.ts';
import classes from './figures.module.css';

/** A few figures in a row, paler while they are no longer live. `dense`: with more of them than room. */
export function Figures({ label, dense, children }: { label?: string; dense?: boolean; children: ReactNode }) {
  const isLost = useDisconnectedSince() !== undefined;
  return (
    <dl className={classes.figures} aria-label={label} data-dense={dense} data-stale={isLost || undefined}>
      {children}
    </dl>
  );
}

/** `children`: what stands below the figure, `sign` beside its name. */
export function Figure({
  label,
  value,
  sign,
  children,
}: {
  label: string;
  value: string;
  sign?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={classes.figure}>
      <dt>
        {label} {sign}
      </dt>
      <dd>
        <span className={classes.value}>{value}</span>
        <div className={classes.below}>{children}</div>
      </dd>
    </div>
  );
}
