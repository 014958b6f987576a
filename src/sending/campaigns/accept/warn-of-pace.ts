import { dateIn } from '../../accounts/quiet-hours.ts';
import { readSendWindows } from '../../accounts/send-window-rules.ts';
import { isWarmingUp } from '../../accounts/warm-up.ts';
import type { Connection } from '../../../platform/database/connect.ts';
import type { CheckWarning } from './check-warning.ts';
import type { Pace } from '../read/estimate-seconds.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

interface Planned {
  /** In order, one at least. */
  dueAt: readonly Date[];
  pace: Pace | undefined;
  /** IANA, the installation's. */
  timeZone: string;
}

/** Warns of a run that falls into the rest after a new link, and of the slow pace of a warm-up. */
export async function warnOfPace(
  db: Connection,
  accountId: AccountId,
  { dueAt, pace, timeZone }: Planned,
): Promise<CheckWarning[]> {
  const [window] = await readSendWindows(db, [accountId], timeZone);
  if (!window) return [];
  const { linkRestUntil, timeZone: zone } = window;
  const warnings: CheckWarning[] = [];
  if (linkRestUntil && dueAt.some((at) => at.getTime() < linkRestUntil.epochMilliseconds)) {
    const time = linkRestUntil
      .toZonedDateTimeISO(zone)
      .toPlainTime()
      .round('minute')
      .toString({ smallestUnit: 'minute' });
    const message = `Your account was linked a short time ago. Its first post leaves at ${time} (${zone}) or later.`;
    warnings.push({ code: 'new_link', message, params: { account_id: accountId, time, zone } });
  }
  const warmUp = pace?.warmUp;
  if (warmUp && warmUp.maxMs > 0 && dueAt.some((at) => isWarmingUp(window, dateIn(zone, at.toTemporalInstant())))) {
    const [min, max] = [warmUp.minMs, warmUp.maxMs].map((ms) => Math.round(ms / 1_000));
    const message = `Your account is warming up: it pauses for ${min} to ${max} s between two posts.`;
    warnings.push({ code: 'warm_up_pace', message, params: { account_id: accountId, min: min ?? 0, max: max ?? 0 } });
  }
  return warnings;
}
