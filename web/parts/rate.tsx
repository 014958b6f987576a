import { share } from '../format/numbers.ts';
import classes from './rate.module.css';

/** A share with a bar as long as it; without one, or if it is zero, dim. */
export function Rate({ of }: { of: number | null }) {
  return (
    <span className={classes.rate} data-zero={!of || undefined}>
      <span className={classes.bar} aria-hidden="true">
        <span style={{ width: `${(of ?? 0) * 100}%` }} />
      </span>
      <span className={classes.value}>{share(of)}</span>
    </span>
  );
}
