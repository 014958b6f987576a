/** The SQL of requests for approval. */
import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { fieldError } from '../../platform/errors/issues.ts';
import type { AskedPost } from './asked-post.ts';

/** `accepted`: it is a campaign. */
export type ApprovalState = 'waiting' | 'changes_requested' | 'rejected' | 'withdrawn' | 'accepted';
export type EntryKind = 'asked' | 'approved' | 'changes_requested' | 'rejected' | 'withdrawn' | 'remark';

/** A request for approval, without its post. */
export interface ApprovalHead {
  approvalId: string;
  /** Of a post whose time has passed while it waited: `changes_requested`. */
  state: ApprovalState;
  /** The time of the post passed before it was approved. */
  isTimePassed: boolean;
  version: number;
  hash: Buffer;
  firstDueAt: Date | null;
  askedBy: UserId;
  /** Who asked for a version of it, or wrote its draft before: in the order of their first change. */
  writtenBy: UserId[];
  askedAt: Date;
  updatedAt: Date;
  /** The public id. */
  campaignId: string | null;
  /** Members who have approved this version. */
  approvedBy: UserId[];
  name: string;
  /** The first characters of its text. */
  textStart: string;
  groupCount: number;
  isSchedule: boolean;
}

export interface Approval extends ApprovalHead {
  post: AskedPost;
  /** The version before that was decided on last. */
  judged: AskedPost | null;
}

export interface Entry {
  version: number;
  userId: UserId;
  /** Null: the user was deleted. */
  userName: string | null;
  kind: EntryKind;
  remark: string;
  at: Date;
  /** An answer in the review group. */
  onPhone: boolean;
}

/** A person who can decide. */
export interface Approver {
  userId: UserId;
  userName: string;
}

const START_LENGTH = 500;
/** A decision for which it is too late: the post would leave at other times than those that were asked for. */
const IS_LATE = sql<boolean>`p.state in ('waiting', 'changes_requested') and coalesce(p.first_due_at <= campanile_now(), false)`;

const HEAD = sql<ApprovalHead>`
  p.approval_id as "approvalId", case when ${IS_LATE} then 'changes_requested' else p.state end as state, ${IS_LATE} as "isTimePassed",
  p.version, p.hash, p.first_due_at as "firstDueAt", p.asked_by as "askedBy", p.written_by as "writtenBy", p.asked_at as "askedAt", p.updated_at as "updatedAt",
  p.campaign_id as "campaignId", p.post ->> 'name' as name, left(p.post ->> 'text', ${START_LENGTH}::int) as "textStart",
  jsonb_array_length(p.post -> 'groupIds') as "groupCount", (p.post -> 'plan' ->> 'isSchedule')::boolean as "isSchedule",
  array(select distinct e.user_id from approval_entries e
        where e.workspace_id = p.workspace_id and e.approval_id = p.approval_id and e.version = p.version and e.kind = 'approved')
    as "approvedBy"`;

/** Closed ones are listed up to this number. */
export const CLOSED_KEPT = 100;
export const IS_OPEN = sql<boolean>`p.state in ('waiting', 'changes_requested')`;

/** Those that are open, what was changed last first, and with `withClosed` the newest of the others after them. */
export async function selectApprovals(
  db: Connection,
  workspaceId: WorkspaceId,
  withClosed: boolean,
): Promise<ApprovalHead[]> {
  const { rows } = await sql<ApprovalHead>`
    select ${HEAD} from approvals p
    where p.workspace_id = ${workspaceId} and (${withClosed} or ${IS_OPEN})
    order by ${IS_OPEN} desc, p.updated_at desc, p.approval_id`.execute(db);
  return rows;
}

/** Throws 404. With `lock` nobody else decides until the transaction ends. */
export async function findApproval(
  db: Connection,
  workspaceId: WorkspaceId,
  approvalId: string,
  { lock }: { lock: boolean } = { lock: false },
): Promise<Approval> {
  // Locked first: a statement that has waited for a lock still reads other tables as they were when it began.
  if (lock)
    await sql`
      select from approvals where workspace_id = ${workspaceId} and approval_id = ${approvalId} for update`.execute(db);
  const { rows } = await sql<Approval>`
    select ${HEAD}, p.post, p.judged from approvals p
    where p.workspace_id = ${workspaceId} and p.approval_id = ${approvalId}`.execute(db);
  const [found] = rows;
  if (!found)
    throw new AppError('approval_not_found', 'The workspace has no request for approval with this id', {
      details: [fieldError('approval_id', 'unknown_id', { of: 'requests for approval' })],
    });
  return found;
}

export async function selectEntries(db: Connection, workspaceId: WorkspaceId, approvalId: string): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select e.version, e.user_id as "userId", u.user_name as "userName", e.kind, e.remark, e.at, e.on_phone as "onPhone"
    from approval_entries e left join users u on u.user_id = e.user_id and u.deleted_at is null
    where e.workspace_id = ${workspaceId} and e.approval_id = ${approvalId} order by e.entry_id`.execute(db);
  return rows;
}

/** The members who may decide, in the order in which they joined. */
export async function selectApprovers(db: Connection, workspaceId: WorkspaceId): Promise<Approver[]> {
  const { rows } = await sql<Approver>`
    select u.user_id as "userId", u.user_name as "userName"
    from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and m.role in ('manager', 'owner') and u.deleted_at is null and u.disabled_at is null
    order by m.joined_at, u.user_id`.execute(db);
  return rows;
}

/** The present names of members, by id. */
export async function selectNames(db: Connection, workspaceId: WorkspaceId): Promise<Map<UserId, string>> {
  const { rows } = await sql<Approver>`
    select u.user_id as "userId", u.user_name as "userName" from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and u.deleted_at is null`.execute(db);
  return new Map(rows.map(({ userId, userName }) => [userId, userName]));
}

export async function insertEntry(
  trx: Connection,
  entry: {
    workspaceId: WorkspaceId;
    approvalId: string;
    version: number;
    userId: UserId;
    kind: EntryKind;
    remark: string;
    /** Default is false. */
    onPhone?: boolean;
  },
): Promise<void> {
  await trx
    .insertInto('approval_entries')
    .values({
      workspace_id: entry.workspaceId,
      approval_id: entry.approvalId,
      version: entry.version,
      user_id: entry.userId,
      kind: entry.kind,
      remark: entry.remark,
      on_phone: entry.onPhone ?? false,
    })
    .execute();
}

/** Closes an approval, or gives it back. The post of a decision is what the next version is compared with. */
export async function writeState(
  trx: Connection,
  workspaceId: WorkspaceId,
  approvalId: string,
  { state, isJudged, campaignId = null }: { state: ApprovalState; isJudged: boolean; campaignId?: string | null },
): Promise<void> {
  await sql`
    update approvals
    set state = ${state}, campaign_id = ${campaignId}, judged = case when ${isJudged} then post else judged end,
        updated_at = campanile_now()
    where workspace_id = ${workspaceId} and approval_id = ${approvalId}`.execute(trx);
}

const CLOSED_DAYS = 90;

/** Forgets closed requests 90 days after their last change. The campaigns stay, and the audit log names who decided. */
export function clearOldApprovals(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`
    o.state in ('rejected', 'withdrawn', 'accepted') and o.updated_at <= campanile_now() - ${CLOSED_DAYS} * interval '1 day'`;
  return clearOldRows(deps, { table: 'approvals', owner: 'workspace_id', isOld });
}
