import { timeOrDay } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { t } from '../i18n/translate.ts';
import classes from './status.module.css';
import { toneOfStatus, type ShownStatus, type Tone } from './status-tone.ts';

/** The state of a campaign or run: a dot and its label. */
export function Status({ of, large }: { of: ShownStatus; large?: boolean }) {
  return <Dot tone={toneOfStatus(of)} label={t(`status.${of}`)} {...(large && { large })} />;
}

/** In place of the state of a campaign that sends, while its posts wait. */
export function Waiting({ until, large }: { until: string | null; large?: boolean }) {
  const zone = useZone();
  const label = until === null ? t('status.waiting') : t('status.waitingUntil', { time: timeOrDay(until, zone) });
  return <Dot tone="paused" label={label} {...(large && { large })} />;
}

export function Dot({ tone, label, large }: { tone: Tone; label: string; large?: boolean }) {
  return (
    <span className={classes.status} data-large={large}>
      <span className={classes.dot} data-tone={tone} aria-hidden="true" />
      {label}
    </span>
  );
}
