import classes from './progress.module.css';

/** Sent and failed deliveries as a progress bar. */
export function Progress({
  deliveries,
  sent,
  failed,
  label,
  large = false,
}: {
  deliveries: number;
  sent: number;
  failed: number;
  label: string;
  large?: boolean;
}) {
  const percent = (part: number) => (deliveries === 0 ? 0 : (part / deliveries) * 100);
  return (
    <span
      className={classes.bar}
      data-large={large || undefined}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={deliveries}
      aria-valuenow={sent + failed}
    >
      <span className={classes.sent} style={{ width: `${percent(sent)}%` }} />
      <span className={classes.failed} style={{ width: `${percent(failed)}%` }} />
    </span>
  );
}
