import type { FollowUp, ReplyTo } from '../../content/post/post-extras.ts';
import { readNow } from '../../platform/database/read-now.ts';
import type { Connection } from '../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import { dropRemoved } from '../campaigns/accept/require-reach.ts';
import { planOccurrences } from '../campaigns/accept/add-scheduled-campaign.ts';
import { moveAhead, type Schedule } from '../campaigns/occurrences.ts';

/** What of a template may have passed, or may have been removed, since it was saved. */
interface Passing {
  accountId: AccountId | null;
  replyTo: ReplyTo | null;
  followUp: FollowUp | null;
  /** null: it has none, or one that is unfinished. */
  schedule: Schedule | null;
}

/**
 * Returns it as a post can have it now, as duplicate-campaign does: a schedule that is over moves ahead by whole weeks; an account or an
 * earlier campaign that was removed is left out.
 */
export async function renewContent(
  db: Connection,
  workspaceId: WorkspaceId,
  { accountId, replyTo, followUp, schedule }: Passing,
): Promise<Passing> {
  const present = await dropRemoved(db, workspaceId, {
    ...(accountId !== null && { accountId }),
    ...(replyTo && { replyTo }),
    ...(followUp && { followUp }),
  });
  // Whole weeks are the same in any zone.
  const zoned = schedule && { ...schedule, timeZone: knownTimeZone(schedule.timeZone, 'UTC') };
  // All of it counts, however much of it is over.
  const isRight = zoned && planOccurrences(zoned, new Date(0)).problems.length === 0;
  return {
    accountId: present.accountId ?? null,
    replyTo: present.replyTo ?? null,
    followUp: present.followUp ?? null,
    schedule: isRight ? moveAhead(zoned, await readNow(db)) : schedule,
  };
}
