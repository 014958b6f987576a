/** The SQL of requests for approval. */
import { execute, readColumn, readRow, readRows, sql, type Connection } from '../../platform/database/statements.ts';
import { PERSON_NAME, type MemberName } from '../../workspaces/members/person-name.ts';
import type { ApprovalEntryKind, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { remakeLists } from '../groups/group-lists.ts';
import type { AskedPost } from './asked-post.ts';
import type { ApprovalRules } from '../../workspaces/approval/approval-rules.ts';

/** `accepted`: it is a campaign. */
export type ApprovalState = 'waiting' | 'changes_requested' | 'rejected' | 'withdrawn' | 'accepted';

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
  /** As of when it was asked. */
  groupCount: number;
  isSchedule: boolean;
}

export interface Approval extends ApprovalHead {
  post: AskedPost;
  /** The version before that was decided on last. */
  judged: AskedPost | null;
}

export interface Entry extends MemberName {
  version: number;
  kind: ApprovalEntryKind;
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
export const IS_LATE = sql<boolean>`p.state in ('waiting', 'changes_requested') and coalesce(p.first_due_at <= campanile_now(), false)`;

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
export async function selectApprovals(db: Connection, workspaceId: WorkspaceId, withClosed: boolean) {
  return readRows<ApprovalHead>(db)`
    select ${HEAD} from approvals p
    where p.workspace_id = ${workspaceId} and (${withClosed} or ${IS_OPEN})
    order by ${IS_OPEN} desc, p.updated_at desc, p.approval_id`;
}

/** Returns how many groups posts to lists have now, by the ids of their requests. Requests of other posts are left out. */
export async function countGroupsOfLists(
  db: Connection,
  workspaceId: WorkspaceId,
  approvalIds: readonly string[],
): Promise<Map<string, number>> {
  const listIds = await readColumn<number>(db)`
    select distinct l.id::bigint
    from approvals p cross join jsonb_array_elements_text(p.post #> '{extras,groupLists,listIds}') l (id)
    where p.workspace_id = ${workspaceId} and p.approval_id = any(${[...approvalIds]}::uuid[])`;
  if (listIds.length === 0) return new Map();
  await remakeLists(db, workspaceId, listIds);
  // As `resolveLists` has them, without reading up to 10,000 ids of each.
  const rows = await readRows<{ approvalId: string; groupCount: number }>(db)`
    with asked as materialized (
      select p.approval_id, p.post -> 'groupIds' as last_ids, p.post #> '{extras,groupLists,groupIds}' as own_ids,
             array(select jsonb_array_elements_text(p.post #> '{extras,groupLists,listIds}')::bigint) as list_ids
      from approvals p
      where p.workspace_id = ${workspaceId} and p.approval_id = any(${[...approvalIds]}::uuid[]) and p.post -> 'extras' ? 'groupLists'
    ), listed as materialized (
      select l.group_list_id,
             array(select g.group_id from unnest(l.group_ids) i (group_id) join groups g using (group_id)
                   where g.workspace_id = l.workspace_id and g.removed_at is null) as group_ids
      from group_lists l where l.workspace_id = ${workspaceId} and l.group_list_id = any(${listIds}::bigint[])
    )
    select a.approval_id as "approvalId", count(n.group_id)::int as "groupCount"
    from asked a left join lateral (
      select e.id::bigint as group_id
      from jsonb_array_elements_text(
        case when a.list_ids <@ array(select group_list_id from listed) then a.own_ids else a.last_ids end) e (id)
      union
      select unnest(l.group_ids) from listed l where l.group_list_id = any(a.list_ids)
    ) n on true
    group by a.approval_id`;
  return new Map(rows.map(({ approvalId, groupCount }) => [approvalId, groupCount]));
}

/** Undefined if there is none. With `lock` nobody else decides until the transaction ends. */
export async function findIfThere(
  db: Connection,
  workspaceId: WorkspaceId,
  approvalId: string,
  { lock }: { lock: boolean },
): Promise<Approval | undefined> {
  // Locked first: a statement that has waited for a lock still reads other tables as they were when it began.
  if (lock)
    await execute(db)`
      select from approvals where workspace_id = ${workspaceId} and approval_id = ${approvalId} for update`;
  return readRow<Approval>(db)`
    select ${HEAD}, p.post, p.judged from approvals p
    where p.workspace_id = ${workspaceId} and p.approval_id = ${approvalId}`;
}

/** As `findIfThere`. Throws 404. */
export async function findApproval(
  db: Connection,
  workspaceId: WorkspaceId,
  approvalId: string,
  options: { lock: boolean } = { lock: false },
): Promise<Approval> {
  const found = await findIfThere(db, workspaceId, approvalId, options);
  if (!found)
    throw new AppError('approval_not_found', 'The workspace has no request for approval with this id', {
      details: [fieldError('approval_id', 'unknown_id', { of: 'requests for approval' })],
    });
  return found;
}

export async function selectEntries(db: Connection, workspaceId: WorkspaceId, approvalId: string): Promise<Entry[]> {
  return readRows<Entry>(db)`
    select e.version, e.user_id as "userId", u.user_name as "userName", ${PERSON_NAME} as "name", e.kind, e.remark, e.at, e.on_phone as "onPhone"
    from approval_entries e left join users u on u.user_id = e.user_id and u.deleted_at is null
    where e.workspace_id = ${workspaceId} and e.approval_id = ${approvalId} order by e.entry_id`;
}

/** The members who may decide, in the order in which they joined. */
export async function selectApprovers(db: Connection, workspaceId: WorkspaceId): Promise<Approver[]> {
  return readRows<Approver>(db)`
    select u.user_id as "userId", u.user_name as "userName"
    from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and m.role in ('manager', 'owner') and u.deleted_at is null and u.disabled_at is null
    order by m.joined_at, u.user_id`;
}

/** The present names of members, by id. */
export async function selectNames(db: Connection, workspaceId: WorkspaceId): Promise<Map<UserId, MemberName>> {
  const rows = await readRows<MemberName>(db)`
    select u.user_id as "userId", u.user_name as "userName", ${PERSON_NAME} as "name"
    from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and u.deleted_at is null`;
  return new Map(rows.map((member) => [member.userId, member]));
}

export async function insertEntry(
  trx: Connection,
  entry: Pick<Entry, 'version' | 'userId' | 'kind' | 'remark'> & {
    workspaceId: WorkspaceId;
    approvalId: string;
    /** Default is false. */
    onPhone?: boolean;
  },
): Promise<void> {
  await execute(trx)`
    insert into approval_entries (workspace_id, approval_id, version, user_id, kind, remark, on_phone)
    values (${entry.workspaceId}, ${entry.approvalId}, ${entry.version}, ${entry.userId}, ${entry.kind}, ${entry.remark},
            ${entry.onPhone ?? false})`;
}

/** Closes an approval, or gives it back. The post of a decision is what the next version is compared with. */
export async function writeState(
  trx: Connection,
  workspaceId: WorkspaceId,
  approvalId: string,
  { state, isJudged, campaignId = null }: { state: ApprovalState; isJudged: boolean; campaignId?: string | null },
): Promise<void> {
  await execute(trx)`
    update approvals
    set state = ${state}, campaign_id = ${campaignId}, judged = case when ${isJudged} then post else judged end,
        updated_at = campanile_now()
    where workspace_id = ${workspaceId} and approval_id = ${approvalId}`;
}

export interface Turn {
  /** The members who may decide on the post. */
  judges: Approver[];
  /** How many of them have approved this version. */
  approvals: number;
  /** How many have to. */
  approvalsNeeded: number;
}

/**
 * Returns who decides on a post. Nobody decides on a post that they wrote a part of, whoever asked last. Where everybody did, those decide
 * who did not ask for this version; a person decides on their own only where nobody else in the workspace could. Two approvals become one
 * where only one other person could give them.
 */
export function findJudges(
  { askedBy, writtenBy, approvedBy }: Pick<ApprovalHead, 'askedBy' | 'writtenBy' | 'approvedBy'>,
  approvers: readonly Approver[],
  { approvers: wanted }: Pick<ApprovalRules, 'approvers'>,
): Turn {
  const others = approvers.filter(({ userId }) => userId !== askedBy);
  const readers = others.filter(({ userId }) => !writtenBy.includes(userId));
  const judges = [readers, others].find((people) => people.length > 0) ?? [...approvers];
  const approvals = judges.filter(({ userId }) => approvedBy.includes(userId)).length;
  return { judges, approvals, approvalsNeeded: Math.max(1, Math.min(wanted, judges.length)) };
}

/** Returns the ids of the people who have to act next: judges who have not approved, or the person who asked. */
export function whoseTurn({ state, askedBy, approvedBy }: ApprovalHead, { judges }: Turn): UserId[] {
  if (state === 'waiting') return judges.map(({ userId }) => userId).filter((userId) => !approvedBy.includes(userId));
  return state === 'changes_requested' ? [askedBy] : [];
}
