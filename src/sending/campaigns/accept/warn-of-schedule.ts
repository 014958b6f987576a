import { dateIn } from '../../accounts/quiet-hours.ts';
import { readWorkspaceRules } from '../../accounts/read-workspace-rules.ts';
import type { Connection } from '../../../platform/database/statements.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { findUnusedTimes, type Schedule } from '../occurrences.ts';
import type { CheckWarning } from './warn-of-frequency.ts';

const NAMES_SHOWN = 5;

/** Warns of dates of a rule that change nothing: they were meant for another time than they have. */
export function warnOfUnusedTimes(schedule: Schedule, now: Date): CheckWarning[] {
  const unused = schedule.recurrence ? findUnusedTimes(schedule, now) : [];
  if (unused.length === 0) return [];
  const names = unused.slice(0, NAMES_SHOWN).join(', ') + (unused.length > NAMES_SHOWN ? ' …' : '');
  return [
    { code: 'rule_dates_unused', message: `These dates of the rule change nothing: ${names}`, params: { names } },
  ];
}

/** Warns of a schedule that mentions everybody more often on a day than the workspace allows. `timeZone` is the installation's. */
export async function warnOfMentionsLeftOut(
  db: Connection,
  workspaceId: WorkspaceId,
  { dueAt, timeZone }: { dueAt: readonly Date[]; timeZone: string },
): Promise<CheckWarning[]> {
  const rules = await readWorkspaceRules(db, workspaceId, timeZone);
  if (!rules) return [];
  const cap = rules.mentionAllCap;
  const perDay = Map.groupBy(dueAt, (at) => dateIn(rules.timeZone, at.toTemporalInstant()).toString());
  const [date] = [...perDay].find(([, { length }]) => length > cap) ?? [];
  if (date === undefined) return [];
  const message = `On ${date} more runs mention everybody than your workspace allows in a day (${cap}): the later ones leave without the mention`;
  return [{ code: 'mentions_left_out', message, params: { date, cap } }];
}
