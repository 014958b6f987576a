import type { ReactNode } from 'react';
import { useDisconnectedSince } from '../api/connection.ts';
import boxClasses from './box.module.css';
import classes from './figures.module.css';

/** A row of figures, dimmed while they are stale. `dense`: for more of them than fit. */
export function Figures({ label, dense, children }: { label?: string; dense?: boolean; children: ReactNode }) {
  const isLost = useDisconnectedSince() !== undefined;
  return (
    <dl className={classes.figures} aria-label={label} data-dense={dense} data-stale={isLost || undefined}>
      {children}
    </dl>
  );
}

/** `children`: text below the figure. `sign`: an icon beside its label. */
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
    <div className={`${boxClasses.surface} ${classes.figure}`}>
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
