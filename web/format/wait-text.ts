import type { AccountStatus } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';
import { shortTime, timeOrDay } from './time.ts';

/** Why posts that are due do not leave. */
export type Wait = NonNullable<AccountStatus['waits_for']>;

/** Returns why posts wait and until when, in one or two sentences; where nobody knows until when, since when. */
export function waitText({ reason, since, until }: Wait, zone: string): string {
  const said = t(`waits.${reason}`);
  if (until !== null) return `${said} ${t('waits.until', { time: timeOrDay(until, zone) })}`;
  return since === null ? said : `${said} ${t('waits.since', { time: shortTime(since, zone) })}`;
}

/** Whether a rule of the workspace makes posts wait, so that nobody has to act. */
export function isRest({ reason }: Wait): boolean {
  return reason === 'new_link' || reason === 'quiet_hours' || reason === 'daily_cap' || reason === 'warm_up';
}
