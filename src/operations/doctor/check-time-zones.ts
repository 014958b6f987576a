import { readRows, type Database } from '../../platform/database/statements.ts';
import { isTimeZone } from '../../platform/time/time-zone.ts';
import { warn, type Results } from './finding.ts';

interface StoredZone {
  zone: string;
  users: number;
  /** That are not over. */
  campaigns: number;
}

/** More names are only counted. */
const MOST_NAMED = 5;

/** Finds stored zones that this process does not know: written by hand, or by a version with a newer IANA database. */
export async function checkTimeZones(db: Database): Promise<Results> {
  const rows = await readRows<StoredZone>(db)`
    select zone, count(*) filter (where of_user)::int as users, count(*) filter (where not of_user)::int as campaigns
    from (
      select time_zone as zone, true as of_user from users where deleted_at is null
      union all
      select time_zone, false from campaigns where finished_at is null and deleted_at is null
    ) stored
    where zone is not null group by zone order by zone`;
  const unknown = rows.filter(({ zone }) => !isTimeZone(zone));
  if (unknown.length === 0) return [];
  const add = (pick: (stored: StoredZone) => number) => unknown.reduce((sum, one) => sum + pick(one), 0);
  const named = unknown.slice(0, MOST_NAMED).map(({ zone }) => JSON.stringify(zone));
  const others = unknown.length - named.length;
  return warn(
    `The time zones of ${add(({ users }) => users)} users and ${add(({ campaigns }) => campaigns)} open campaigns are unknown to this version: ${named.join(', ')}${others > 0 ? ` and ${others} others` : ''}. TIME_ZONE applies to these users`,
    'Start a version whose Node.js knows these zones, or ask their owners to choose other zones.',
  );
}
