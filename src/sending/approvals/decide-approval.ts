import type { Transaction } from 'kysely';
import { readNow } from '../../platform/database/read-now.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { Schema, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { hasFileIn } from '../../content/post/post-extras.ts';
import { requireFiles } from '../../content/post/post-files.ts';
import { readApprovalRules, requireListed } from '../../workspaces/approval/approval-rules.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor, type AuditAction } from '../../workspaces/audit/record-audit.ts';
import { includesRole } from '../../workspaces/members/roles.ts';
import { lockOwnLedger } from '../accounts/store.ts';
import { fitOf, requireTargets, writeCampaign, type AcceptDeps } from '../campaigns/accept/accept-campaign.ts';
import { dueNow, startNow } from '../campaigns/accept/add-campaign.ts';
import { dueBySchedule, startScheduled } from '../campaigns/accept/add-scheduled-campaign.ts';
import { dropRemoved } from '../campaigns/accept/require-reach.ts';
import { resolveLists } from '../campaigns/accept/resolve-lists.ts';
import { scheduleOf } from '../campaigns/store.ts';
import {
  findApproval,
  insertEntry,
  selectApprovers,
  writeState,
  findJudges,
  type Approval,
  type Turn,
} from './approval-store.ts';
import { requireFit } from '../values/check-values.ts';
import { hashValues } from '../values/select-values.ts';
import { hashPost, listMediaIds } from './asked-post.ts';
import { alreadyDecided } from './request-approval.ts';
import { cancelReviews, lockReviews } from './review-post.ts';
import { writeDecided, type Decided } from './write-events.ts';

export interface Decision {
  approvalId: string;
  /** The SHA-256 of the post that was judged. */
  hash: Buffer;
  remark: string;
  /** Of an answer in the review group: the version that it shows, and the number under which the owner lists the actor. */
  onPhone?: { version: number; number: string };
}

/** What a decision changes the ledger with. */
export type DecideDeps = Pick<AcceptDeps, 'db' | 'quotas' | 'timeZone'>;

/**
 * Approves a post (contract §4, decide-approval). The approval that completes the number accepts it as a campaign in the same transaction, so
 * that approvals at the same moment, repeated ones and a crash come to one campaign. Approving an accepted post again answers as the first
 * time. Throws 404; 403 for one's own post; 409 for a post that has changed since, is closed, or whose time has passed; and what accepting
 * the campaign throws: then nothing is recorded.
 */
export async function approve(deps: DecideDeps, actor: Actor, decision: Decision): Promise<Approval> {
  const { db } = deps;
  const { workspaceId } = actor;
  const asked = await findApproval(db, workspaceId, decision.approvalId);
  requireSamePost(asked, decision);
  if (asked.state !== 'accepted') {
    const extras = await dropRemoved(db, workspaceId, asked.post.extras);
    await requireTargets(db, { ...asked.post, extras, workspaceId, givenIds: asked.post.groupIds });
  }
  return db.transaction().execute(async (trx) => {
    // In the order of everybody else: files, lane, then what is being decided.
    const files = listMediaIds(asked.post).map((mediaId) => ({ mediaId }));
    if (asked.state !== 'accepted') await requireFiles(trx, workspaceId, { files });
    await lockOwnLedger(trx, workspaceId);
    const approval = await findApproval(trx, workspaceId, decision.approvalId, { lock: true });
    requireSamePost(approval, decision);
    if (approval.state === 'accepted') return approval;
    requireWaiting(approval);
    await requireValues(trx, deps, workspaceId, approval);
    const { approvals, approvalsNeeded } = await requireJudge(trx, actor, approval, decision);
    const isFirst = !approval.approvedBy.includes(actor.userId);
    if (isFirst)
      await recordDecision(trx, actor, approval, { ...decision, kind: 'approved', action: 'approval.approved' });
    if (approvals + (isFirst ? 1 : 0) >= approvalsNeeded) {
      await cancelReviews(trx, workspaceId, decision.approvalId);
      await accept(trx, deps, { actor, approval });
    }
    return findApproval(trx, workspaceId, decision.approvalId);
  });
}

/** Gives a post back to the person who asked, or rejects it for good. Throws as `approve`. */
export function refuse(
  { db }: { db: Database },
  actor: Actor,
  { state, ...decision }: Decision & { state: 'changes_requested' | 'rejected' },
): Promise<Approval> {
  const action = state === 'rejected' ? 'approval.rejected' : 'approval.sent_back';
  return db.transaction().execute(async (trx) => {
    await lockReviews(trx, actor.workspaceId, decision.approvalId);
    const approval = await findApproval(trx, actor.workspaceId, decision.approvalId, { lock: true });
    requireSamePost(approval, decision);
    if (approval.state === state && !approval.isTimePassed) return approval;
    if (state === 'rejected') requireOpen(approval);
    else requireWaiting(approval);
    await requireJudge(trx, actor, approval, decision);
    await recordDecision(trx, actor, approval, { ...decision, kind: state, action });
    await writeState(trx, actor.workspaceId, decision.approvalId, { state, isJudged: true });
    await cancelReviews(trx, actor.workspaceId, decision.approvalId);
    return announce(trx, actor, decision.approvalId, state);
  });
}

/** Takes a request back, which the person who asked and managers may. Throws 403, 404, and 409 for a closed one. */
export function withdraw({ db }: { db: Database }, actor: Actor, approvalId: string): Promise<Approval> {
  const { workspaceId, userId } = actor;
  return db.transaction().execute(async (trx) => {
    await lockReviews(trx, workspaceId, approvalId);
    const approval = await findApproval(trx, workspaceId, approvalId, { lock: true });
    if (approval.state === 'withdrawn') return approval;
    if (approval.askedBy !== userId && !includesRole(actor.role, 'manager'))
      throw new AppError('role_missing', 'The person who asked may withdraw this request, and managers may');
    requireOpen(approval);
    await recordDecision(trx, actor, approval, {
      approvalId,
      remark: '',
      kind: 'withdrawn',
      action: 'approval.withdrawn',
    });
    await writeState(trx, workspaceId, approvalId, { state: 'withdrawn', isJudged: false });
    await cancelReviews(trx, workspaceId, approvalId);
    return announce(trx, actor, approvalId, 'withdrawn');
  });
}

/** Writes the event of a decision. Returns the request as it is now. */
async function announce(
  trx: Transaction<Schema>,
  { workspaceId, userId }: Actor,
  approvalId: string,
  decision: Decided['decision'],
): Promise<Approval> {
  const approval = await findApproval(trx, workspaceId, approvalId);
  await writeDecided(trx, workspaceId, approval, { decision, decidedBy: userId });
  return approval;
}

function requireOpen(approval: Approval): void {
  if (!['waiting', 'changes_requested'].includes(approval.state)) throw alreadyDecided(approval);
}

/** The approval binds the post that was read, and the stored post is the one that was asked for. */
function requireSamePost({ hash, post, version }: Approval, decision: Pick<Decision, 'hash' | 'onPhone'>): void {
  const isShown = decision.onPhone === undefined || decision.onPhone.version === version;
  if (isShown && hash.equals(decision.hash) && hash.equals(hashPost(post))) return;
  throw new AppError('approval_changed', 'The post has changed since you loaded it. Load it again, then decide.');
}

/**
 * Throws 409 for changed values, since they are the text of a post with fields, and 400 if its lists have groups by now that lack a value,
 * as adding the campaign would.
 */
async function requireValues(
  trx: Transaction<Schema>,
  deps: DecideDeps,
  workspaceId: WorkspaceId,
  { post, firstDueAt }: Approval,
): Promise<void> {
  const { template, groupIds, valuesSha256, plan } = post;
  if (!template) return;
  if ((await hashValues(trx, workspaceId, { groupIds, template })) !== valuesSha256)
    throw new AppError(
      'approval_changed',
      'Values of its fields have changed since the post was asked for. Its author has to ask again.',
    );
  const present = await resolveLists(trx, workspaceId, { ...post, workspaceId, template });
  await requireFit(
    trx,
    fitOf(deps, { ...present, hasFile: hasFileIn(post) }, { due: firstDueAt ? [firstDueAt] : [], plan }),
  );
}

function requireWaiting(approval: Approval): void {
  requireOpen(approval);
  if (approval.isTimePassed)
    throw new AppError(
      'approval_time_passed',
      'The time of this post has passed before it was approved. Its author has to ask again with another time.',
    );
  if (approval.state !== 'waiting')
    throw new AppError('approval_decided', 'Changes were requested of this post: its author has to ask again');
}

async function requireJudge(
  trx: Transaction<Schema>,
  actor: Actor,
  approval: Approval,
  { onPhone }: Pick<Decision, 'onPhone'>,
): Promise<Turn> {
  const { workspaceId, userId } = actor;
  if (onPhone) await requireListed(trx, actor, onPhone.number);
  const turn = findJudges(approval, await selectApprovers(trx, workspaceId), await readApprovalRules(trx, workspaceId));
  if (turn.judges.some((judge) => judge.userId === userId)) return turn;
  throw new AppError(
    'approval_own',
    'You asked for this approval or wrote a part of the post, so that another member with the role manager or owner decides',
  );
}

async function recordDecision(
  trx: Transaction<Schema>,
  actor: Actor,
  { approvalId, version, name }: Approval,
  {
    remark,
    kind,
    action,
    onPhone,
  }: Pick<Decision, 'approvalId' | 'remark' | 'onPhone'> & {
    kind: 'approved' | 'changes_requested' | 'rejected' | 'withdrawn';
    action: AuditAction;
  },
): Promise<void> {
  const { workspaceId, userId } = actor;
  await insertEntry(trx, { workspaceId, approvalId, version, userId, kind, remark, onPhone: onPhone !== undefined });
  const changes = onPhone ? diffValues({}, { decided_on: 'phone' }) : [];
  await recordAudit(trx, { ...actor, action, subject: name, changes });
}

async function accept(
  trx: Transaction<Schema>,
  deps: DecideDeps,
  { actor, approval }: { actor: Actor; approval: Approval },
): Promise<void> {
  const { post, approvalId } = approval;
  const { sha256s: _, valuesSha256: __, ...campaign } = post;
  const schedule = scheduleOf(post.plan);
  const campaignId = await writeCampaign(trx, deps, {
    actor,
    campaign: { ...campaign, workspaceId: actor.workspaceId },
    ...(schedule
      ? { ...dueBySchedule(schedule, await readNow(trx)), start: startScheduled }
      : { dueAt: dueNow, start: startNow }),
  });
  await writeState(trx, actor.workspaceId, approvalId, { state: 'accepted', isJudged: true, campaignId });
  await announce(trx, actor, approvalId, 'approved');
}
