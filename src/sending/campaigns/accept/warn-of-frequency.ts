import { dateIn } from '../../accounts/quiet-hours.ts';
import { readWorkspaceRules } from '../../accounts/read-workspace-rules.ts';
import type { Connection } from '../../../platform/database/statements.ts';
import { findFrequentPosts, type FrequentPosts } from '../read/find-frequent-posts.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import type { IssueParams } from '../../../platform/errors/issues.ts';

interface Planned {
  groupIds: readonly number[];
  /** In order, one at least. */
  dueAt: readonly Date[];
  /** What this campaign has planned does not count. */
  except: number | undefined;
  /** IANA, the installation's. */
  timeZone: string;
}

/** Warns of groups that would get a second post within an hour, or more posts in seven days than the workspace wants. */
export async function warnOfFrequency(db: Connection, workspaceId: WorkspaceId, { timeZone, ...draft }: Planned) {
  const rules = await readWorkspaceRules(db, workspaceId, timeZone);
  const [first, last] = [draft.dueAt[0], draft.dueAt.at(-1)];
  if (!rules || !first || !last) return [];
  const { timeZone: zone, weeklyPosts: weekly } = rules;
  const dateOf = (at: Date) => dateIn(zone, at.toTemporalInstant());
  const question = { draft, runIds: [], first: dateOf(first), last: dateOf(last), weekly, timeZone: zone };
  const found = await findFrequentPosts(db, workspaceId, question);
  return found.map((one) => describeFrequency(one, { weekly, timeZone: zone }));
}

/** Returns the warning about posts that come too often. `timeZone` is that of its date. */
export function describeFrequency(
  { kind, groups, posts, at, names: some }: FrequentPosts,
  { weekly, timeZone }: { weekly: number | null; timeZone: string },
): CheckWarning {
  const date = dateIn(timeZone, at.toTemporalInstant()).toString();
  const names = some.join(', ') + (groups > some.length ? ' …' : '');
  const groupsGet = groups === 1 ? '1 group gets' : `${groups} groups get`;
  if (kind === 'hour') {
    const message = `${groupsGet} two posts within an hour, on ${date} for the first time: ${names}`;
    return { code: 'posts_within_hour', message, params: { groups, date, names } };
  }
  const limit = weekly ?? 0;
  return {
    code: 'over_weekly_posts',
    message: `${groupsGet} more than ${limit} posts in 7 days, ${posts} at most, on ${date} for the first time: ${names}`,
    params: { groups, posts, limit, date, names },
  };
}

/** Something that the author of a checked campaign will want to know. It does not keep the campaign from being added. */
export interface CheckWarning {
  code: string;
  message: string;
  /** The figures and names of the message. */
  params?: IssueParams;
}
