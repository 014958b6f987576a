/** What was sent and what failed of all deliveries, as a bar. */
export function Progress({
  deliveries,
  sent,
  failed,
  label,
}: {
  deliveries: number;
  sent: number;
  failed: number;
  label: string;
}) {
  const percent = (part: number) => (deliveries === 0 ? 0 : (part / deliveries) * 100);
  return (
    <span
      className="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={deliveries}
      aria-valuenow={sent + failed}
    >
      <span className="bar-sent" style={{ width: `${percent(sent)}%` }} />
      <span className="bar-failed" style={{ width: `${percent(failed)}%` }} />
    </span>
  );
}
