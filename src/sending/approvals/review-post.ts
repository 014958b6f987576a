/** Posts that wait for an approval in the review group (docs/explanation/decisions/0108-approve-in-a-review-group.md). */
import { sql } from 'kysely';
import { TEXT_LIMIT } from '../../content/text/html-to-whatsapp.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { lockLedger, lockOwnLedger } from '../accounts/store.ts';
import { dueNow, planOfNow, startNow } from '../campaigns/accept/add-campaign.ts';
import { cancelRuns } from '../campaigns/change/cancel-runs.ts';
import { insertCampaign } from '../campaigns/store.ts';
import { readNow } from '../../platform/database/read-now.ts';
import type { Approval } from './approval-store.ts';
import { composeReview, NAMED_GROUPS, type Reader } from './compose-review.ts';

/** Of a workspace in 24 hours: a script that asks again and again must not flood a group. */
const POSTS_A_DAY = 50;

export interface ReviewGroup {
  groupId: number;
  /** The owner's language and zone. */
  reader: Reader;
}

/** Returns the review group of a workspace, and locks its ledger; undefined if it has none that can be posted to. */
export async function lockReviewGroup(
  trx: Connection,
  workspaceId: WorkspaceId,
  timeZone: string,
): Promise<ReviewGroup | undefined> {
  const { rows } = await sql<{ groupId: number } & Reader>`
    select g.group_id as "groupId", u.language, coalesce(u.time_zone, ${timeZone}) as "timeZone"
    from workspaces w
    join groups g on g.group_id = w.review_group_id and g.workspace_id = w.workspace_id and g.can_send and g.removed_at is null and g.kind <> 'channel'
    join memberships m on m.workspace_id = w.workspace_id and m.role = 'owner'
    join users u on u.user_id = m.user_id
    where w.workspace_id = ${workspaceId}`.execute(trx);
  const [found] = rows;
  if (!found) return undefined;
  const { groupId, ...reader } = found;
  await lockOwnLedger(trx, workspaceId);
  return { groupId, reader };
}

/**
 * Posts a version of a request to the review group. Returns why it is not posted, as a sentence for the author; undefined if it is. The
 * ledger must be locked.
 */
export async function postForReview(
  trx: Connection,
  workspaceId: WorkspaceId,
  { group, approval, dueAt }: { group: ReviewGroup; approval: Approval; dueAt: readonly Date[] },
): Promise<string | undefined> {
  const { groupId, reader } = group;
  const { approvalId, version, hash, post, askedBy } = approval;
  if (await isDayFull(trx, workspaceId))
    return `The review group has got ${POSTS_A_DAY} posts within 24 hours. This one waits in the dashboard alone.`;
  const names = await readNames(trx, approval);
  const { name, header, text } = composeReview(post, { version, dueAt, ...names }, reader);
  if (text.length > TEXT_LIMIT)
    return 'The post is too long for the review group, which shows more than the post. It waits in the dashboard alone.';
  const { fileName, files, linkPreview } = post.extras;
  const { campaignId } = await insertCampaign(trx, {
    workspaceId,
    name,
    description: '',
    isChannelCampaign: false,
    isTest: true,
    plan: planOfNow({ scheduleTime: null }),
    html: [...header.map((line) => `<p>${escape(line)}</p>`), post.html].join(''),
    text,
    mediaId: post.mediaId,
    extras: {
      ...(fileName !== undefined && { fileName }),
      ...(files && { files }),
      ...(linkPreview && { linkPreview }),
    },
    groupIds: [groupId],
    dueAt: dueNow(await readNow(trx)),
  });
  await startNow(trx, { workspaceId, campaignId });
  await sql`
    insert into approval_reviews (campaign_id, workspace_id, approval_id, version, hash, asked_by)
    values (${campaignId}, ${workspaceId}, ${approvalId}, ${version}, ${hash}, ${askedBy})`.execute(trx);
  return undefined;
}

/**
 * Locks the ledger of a workspace that shows a request in a review group. Call it before the request itself is locked, as everybody who
 * decides does, and `cancelReviews` after it.
 */
export async function lockReviews(trx: Connection, workspaceId: WorkspaceId, approvalId: string): Promise<void> {
  const { rows } = await sql`
    select from approval_reviews where workspace_id = ${workspaceId} and approval_id = ${approvalId} limit 1`.execute(
    trx,
  );
  if (rows.length > 0) await lockLedger(trx, workspaceId);
}

/** Cancels the review posts of a request that have not left. The ledger must be locked. */
export async function cancelReviews(trx: Connection, workspaceId: WorkspaceId, approvalId: string): Promise<void> {
  const { rows } = await sql<{ workspaceId: WorkspaceId; campaignId: number }>`
    select c.workspace_id as "workspaceId", c.campaign_id as "campaignId"
    from approval_reviews v join campaigns c on c.campaign_id = v.campaign_id and c.finished_at is null
    where v.workspace_id = ${workspaceId} and v.approval_id = ${approvalId}`.execute(trx);
  for (const campaign of rows) await cancelRuns(trx, campaign);
}

/** The public id of the post of a version in the review group; null: it has none, or that was deleted. */
export async function findReview(
  db: Connection,
  workspaceId: WorkspaceId,
  { approvalId, version }: Pick<Approval, 'approvalId' | 'version'>,
): Promise<string | null> {
  const { rows } = await sql<{ publicId: string }>`
    select c.public_id as "publicId" from approval_reviews v join campaigns c using (campaign_id)
    where v.workspace_id = ${workspaceId} and v.approval_id = ${approvalId} and v.version = ${version} and c.deleted_at is null
    order by v.campaign_id desc`.execute(db);
  return rows[0]?.publicId ?? null;
}

async function isDayFull(trx: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  const { rows } = await sql<{ posts: number }>`
    select count(*)::int as posts from approval_reviews
    where workspace_id = ${workspaceId} and created_at > campanile_now() - interval '24 hours'`.execute(trx);
  return (rows[0]?.posts ?? 0) >= POSTS_A_DAY;
}

async function readNames(
  trx: Connection,
  { askedBy, post }: Approval,
): Promise<{ askedBy: string; groupNames: string[] }> {
  const { rows } = await sql<{ askedBy: string; groupNames: string[] }>`
    select u.user_name as "askedBy", array(
             select g.name from unnest(${post.groupIds.slice(0, NAMED_GROUPS)}::bigint[]) with ordinality i (group_id, place)
             join groups g using (group_id) order by i.place) as "groupNames"
    from users u where u.user_id = ${askedBy}`.execute(trx);
  return rows[0] ?? { askedBy: '', groupNames: [] };
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
