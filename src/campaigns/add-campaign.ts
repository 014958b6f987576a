import { findAccountOfUser, lockLane } from '../accounts/store.ts';
import type { Database } from '../database/connect.ts';
import { actOnce, findResult, type IdempotencyKey } from '../idempotency/once.ts';
import { saveMedia } from '../media/store.ts';
import { beginRuns } from './begin-runs.ts';
import { preparePost, type PostInput } from './prepare-post.ts';
import { requireGroups } from './require-groups.ts';
import { insertCampaign, readNow } from './store.ts';

/** The most groups a campaign goes to (contract §3). */
export const GROUPS_LIMIT = 10_000;

export interface SendNowInput extends PostInput {
  /** As it was sent; kept, delays nothing. */
  scheduleTime: string | null;
}

export interface AcceptedCampaign {
  campaignId: string;
  groupCount: number;
}

/**
 * Accepts a campaign that goes out at once (specification, add campaign): when this resolves, campaign and deliveries are
 * durable, and a crash of any process loses none of them. Throws 400 for a post that makes no sense and 404 for groups that are
 * not the user's. With `key` a repeated request is answered as the first one was.
 */
export async function addCampaign(
  { db }: { db: Database },
  userId: number,
  input: SendNowInput,
  key?: IdempotencyKey,
): Promise<AcceptedCampaign> {
  const first = await findResult<AcceptedCampaign>(db, key);
  if (first) return first;
  const post = await preparePost(input);
  const account = await findAccountOfUser(db, userId);
  await requireGroups(db, account.accountId, input.groupIds);
  return db.transaction().execute((trx) =>
    actOnce(trx, key, async () => {
      const mediaId = post.media && (await saveMedia(trx, userId, post.media));
      await lockLane(trx, account.accountId);
      const stored = await insertCampaign(trx, {
        accountId: account.accountId,
        name: input.name,
        description: input.description,
        isChannelCampaign: input.isChannelCampaign,
        isSchedule: false,
        scheduleTime: input.scheduleTime,
        startDate: null,
        endDate: null,
        timeZone: null,
        weekdays: null,
        skipDates: [],
        html: input.html,
        text: post.text,
        mediaId,
        groupIds: post.groupIds,
        dueAt: [await readNow(trx)],
      });
      await beginRuns(trx, [account.accountId], { chunk: GROUPS_LIMIT, campaignId: stored.campaignId });
      return { campaignId: stored.publicId, groupCount: post.groupIds.length };
    }),
  );
}
