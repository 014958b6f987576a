import { execute, hasRow, readColumn, readCount, sql, type RawBuilder } from '../../platform/database/statements.ts';
import { plainFileName } from '../../content/media/file-name.ts';
import { checkFiles } from '../../content/post/post-files.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { readNow } from '../../platform/database/read-now.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { readApprovalRules } from '../../workspaces/approval/approval-rules.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { prepareCampaign, saveFiles, type AcceptDeps } from '../campaigns/accept/accept-campaign.ts';
import { dueNow, planOfNow } from '../campaigns/accept/add-campaign.ts';
import { planScheduled } from '../campaigns/accept/add-scheduled-campaign.ts';
import { requireFreeExternalId } from '../accounts/own-data.ts';
import type { CampaignDraft } from '../campaigns/accept/check-campaign.ts';
import {
  CLOSED_KEPT,
  findApproval,
  findIfThere,
  insertEntry,
  IS_LATE,
  IS_OPEN,
  type Approval,
} from './approval-store.ts';
import { hashPost, listMediaIds, type AskedPost } from './asked-post.ts';
import { hashValues } from '../values/select-values.ts';
import { hashWords, listDraftWriters, type PostWords } from '../drafts/draft-writers.ts';
import { cancelReviews, lockReviewGroup, lockReviews, postForReview } from './review-post.ts';
import { writeWaiting } from './write-events.ts';
import { requireRoomForEntry } from './write-remark.ts';

/** Of a workspace: more would make the list of them a long one to look through. */
const OPEN_LIMIT = 100;

export interface Asking {
  /** Drawn by the client; that of a request which is to be changed. */
  approvalId: string;
  draft: CampaignDraft;
  /** For the thread. */
  remark: string;
}

export interface Asked {
  approval: Approval;
  /** Sentences for the author. */
  warnings: string[];
}

/**
 * Asks for the approval of a post (contract §4, request-approval), which is stored as it would be accepted: its text is converted, its card
 * fetched and its files named now. A changed post is a further version, which has no approvals yet. Asking for the same once more does
 * nothing. Throws what adding the campaign would throw, and 409 where the workspace uses no approval, for a request that is closed, and at
 * the limit of requests.
 */
export async function requestApproval(
  deps: AcceptDeps & { timeZone: string },
  actor: Actor,
  { approvalId, draft, remark }: Asking,
): Promise<Asked> {
  const { db } = deps;
  if ((await readApprovalRules(db, actor.workspaceId)).approval === 'never')
    throw new AppError('approval_not_used', 'This workspace uses no approval: managers send its posts');
  const planned =
    draft.when === 'now'
      ? { plan: planOfNow(draft.post), dueAt: dueNow }
      : await planScheduled(deps, actor, draft.post);
  const request = { actor, input: draft.post, ...planned };
  const prepared = await prepareCampaign(deps, request);
  await requireFreeExternalId(db, 'campaign', { ...draft.post, workspaceId: actor.workspaceId });
  return db.transaction().execute(async (trx) => {
    // Before its files, as everybody else; and one request after the other, so that the limit holds.
    await execute(trx)`select from workspaces where workspace_id = ${actor.workspaceId} for no key update`;
    const { workspaceId: _, ...campaign } = await saveFiles(trx, deps, request, prepared);
    const extras = await nameFiles(trx, actor.workspaceId, campaign.extras);
    const sha256s = await readHashes(trx, listMediaIds({ ...campaign, extras }));
    const dueAt = draft.when === 'now' ? [] : planned.dueAt(await readNow(trx));
    const firstDueAt = dueAt[0]?.toISOString() ?? null;
    const { template, groupIds } = campaign;
    const valuesSha256 = template && (await hashValues(trx, actor.workspaceId, { groupIds, template }));
    const post: AskedPost = {
      ...campaign,
      extras,
      isTest: campaign.isTest ?? false,
      firstDueAt,
      sha256s,
      // The hash of a post has no field that was not sent.
      ...(valuesSha256 !== undefined && { valuesSha256 }),
    };
    const group = await lockReviewGroup(trx, actor.workspaceId, deps.timeZone);
    await lockReviews(trx, actor.workspaceId, approvalId);
    const { poll, event } = extras;
    const words = post.text === '' && !poll && !event ? undefined : { html: draft.post.html, poll, event };
    const isNew = await writeVersion(trx, actor, { approvalId, post, hash: hashPost(post), words, remark });
    const approval = await findApproval(trx, actor.workspaceId, approvalId);
    if (isNew) await cancelReviews(trx, actor.workspaceId, approvalId);
    const unposted =
      isNew && group ? await postForReview(trx, actor.workspaceId, { group, approval, dueAt }) : undefined;
    return { approval, warnings: [...prepared.warnings, ...(unposted === undefined ? [] : [unposted])] };
  });
}

/** The library may give a file another name later, and recipients see it. */
async function nameFiles(trx: Connection, workspaceId: WorkspaceId, extras: PostExtras): Promise<PostExtras> {
  if (!extras.files) return extras;
  const shown = await checkFiles(trx, workspaceId, extras);
  const names = new Map(shown.map(({ mediaId, fileName }) => [mediaId, fileName]));
  const files = extras.files.map((file) => ({
    ...file,
    fileName: file.fileName ?? names.get(file.mediaId) ?? plainFileName(''),
  }));
  return { ...extras, files };
}

async function readHashes(trx: Connection, mediaIds: readonly number[]): Promise<string[]> {
  if (mediaIds.length === 0) return [];
  return readColumn<string>(trx)`
    select encode(m.sha256, 'hex') as sha256 from unnest(${[...mediaIds]}::bigint[]) with ordinality i (media_id, place)
    join media m using (media_id) order by i.place`;
}

interface Version {
  approvalId: string;
  post: AskedPost;
  hash: Buffer;
  /** As they were sent; undefined: only a file. */
  words: PostWords | undefined;
  remark: string;
}

/** Returns whether it was another post, or the first one. */
async function writeVersion(trx: Connection, actor: Actor, version: Version): Promise<boolean> {
  const { workspaceId } = actor;
  const { approvalId, post, hash, remark } = version;
  const before = await findIfThere(trx, workspaceId, approvalId, { lock: true });
  if (before?.campaignId != null && before.hash.equals(hash)) return false;
  if (before && !['waiting', 'changes_requested'].includes(before.state)) throw alreadyDecided(before);
  if (before?.state === 'waiting' && before.hash.equals(hash)) {
    // The same post, with other tags at most.
    await execute(trx)`
      update approvals set post = ${JSON.stringify(post)}::jsonb where workspace_id = ${workspaceId} and approval_id = ${approvalId}`;
    return false;
  }
  await (before ? overwrite(trx, actor, version) : insert(trx, actor, version));
  const number = (before?.version ?? 0) + 1;
  await insertEntry(trx, { workspaceId, approvalId, version: number, userId: actor.userId, kind: 'asked', remark });
  await recordAudit(trx, { ...actor, action: 'approval.asked', subject: post.name });
  await writeWaiting(trx, workspaceId, await findApproval(trx, workspaceId, approvalId));
  return true;
}

async function insert(trx: Connection, actor: Actor, version: Version): Promise<void> {
  const { workspaceId } = actor;
  const { approvalId, post, hash } = version;
  const open = await readCount(trx)`
    select count(*) from approvals p where p.workspace_id = ${workspaceId} and ${IS_OPEN}`;
  if (open >= OPEN_LIMIT && !(await withdrawEnded(trx, workspaceId)))
    throw new AppError(
      'approval_limit_reached',
      `The workspace has reached the limit of ${OPEN_LIMIT} open requests for approval. Decide on some, or withdraw them.`,
    );
  const writers = listWriters(actor, version);
  await execute(trx)`
    insert into approvals (workspace_id, approval_id, hash, post, media_ids, first_due_at, asked_by, written_by)
    values (${workspaceId}, ${approvalId}, ${hash}, ${JSON.stringify(post)}::jsonb, ${listMediaIds(post)}::bigint[],
            ${post.firstDueAt}::timestamptz, ${actor.userId}, ${writers})`;
  // Nobody can fill the disk with requests that they withdraw.
  await execute(trx)`
    delete from approvals d using (
      select p.approval_id from approvals p where p.workspace_id = ${workspaceId} and not (${IS_OPEN})
      order by p.updated_at desc, p.approval_id offset ${CLOSED_KEPT}) old
    where d.workspace_id = ${workspaceId} and d.approval_id = old.approval_id`;
}

/** Withdraws the oldest request that nobody can approve any more: its time has passed, or who was to change it has left. False: none. */
async function withdrawEnded(trx: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  return hasRow(trx)`
    update approvals set state = 'withdrawn', updated_at = campanile_now()
    where workspace_id = ${workspaceId} and approval_id = (
      select p.approval_id from approvals p
      where p.workspace_id = ${workspaceId} and (${IS_LATE} or p.state = 'changes_requested' and not exists (
        select from memberships m where m.workspace_id = p.workspace_id and m.user_id = p.asked_by))
      order by p.updated_at, p.approval_id limit 1)
    returning 1`;
}

async function overwrite(trx: Connection, actor: Actor, version: Version): Promise<void> {
  const { workspaceId } = actor;
  const { approvalId, post, hash } = version;
  await requireRoomForEntry(trx, workspaceId, approvalId);
  await execute(trx)`
    update approvals p
    set state = 'waiting', version = version + 1, hash = ${hash}, post = ${JSON.stringify(post)}::jsonb,
        -- A version that somebody has approved was judged, too.
        judged = case when exists (select from approval_entries e
                                   where e.workspace_id = p.workspace_id and e.approval_id = p.approval_id
                                     and e.version = p.version and e.kind = 'approved')
                      then post else judged end,
        media_ids = ${listMediaIds(post)}::bigint[], first_due_at = ${post.firstDueAt}::timestamptz, asked_by = ${actor.userId},
        written_by = ${listWriters(actor, version, sql`p.written_by`)},
        asked_at = campanile_now(), updated_at = campanile_now()
    where p.workspace_id = ${workspaceId} and p.approval_id = ${approvalId}`;
}

/**
 * The people in `before`, those who wrote the draft of this id, a draft or another request with the same text, and the actor, each once and
 * in this order.
 */
function listWriters(
  { workspaceId, userId }: Actor,
  { approvalId, post, words }: Version,
  before: RawBuilder<unknown> = sql`'{}'::bigint[]`,
): RawBuilder<unknown> {
  const text = words && { html: post.html, poll: post.extras.poll, event: post.extras.event };
  const ofRequests = sql`array(
    select u.user_id from approvals o cross join unnest(o.written_by) u (user_id)
    where o.workspace_id = ${workspaceId} and o.state <> 'accepted'
      and ${hashWords(sql`(o.post -> 'extras' || jsonb_build_object('html', o.post -> 'html'))`)} = ${hashWords(sql`${JSON.stringify(text ?? {})}::jsonb`)})`;
  return sql`array(
    select w.user_id
    from unnest(${before} || ${listDraftWriters(workspaceId, approvalId, words)} || ${ofRequests}
                || ${userId}::bigint) with ordinality w (user_id, place)
    group by w.user_id order by min(w.place))`;
}

/** The answer to a change of something that is closed. */
export function alreadyDecided({ state }: Pick<Approval, 'state'>): AppError {
  const said = state === 'accepted' ? 'approved, and is a campaign now' : state;
  return new AppError('approval_decided', `This post was ${said}: it can no longer be changed or decided on`);
}
