/** Links by which calendar programs read the plan of a workspace. A token is nowhere stored, only its SHA-256. */
import { execute, readCount, readOne, readRow, readRows } from '../../../platform/database/statements.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { AppError, fieldError } from '../../../platform/errors/errors.ts';
import { generateToken, hashSecret } from '../../../platform/secrets/hash-secret.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { assertStillMember, lockMembers } from '../../../workspaces/members/assert-still-member.ts';
import { HAS_ACTIVE_OWNER } from '../../../workspaces/members/has-active-owner.ts';
import { PERSON_NAME, type MemberName } from '../../../workspaces/members/person-name.ts';
import { readGroupList, remakeLists } from '../../groups/group-lists.ts';
import type { ListedRun } from './list-runs.ts';

const LINKS_LIMIT = 20;
/** Of a feed: the next ones, and if there is room the latest of the last days. */
const RUNS_LIMIT = 500;
const PAST_DAYS = 31;
const AHEAD_DAYS = 366;

export interface CalendarLink {
  calendarLinkId: number;
  groupList: { groupListId: number; name: string } | null;
  createdAt: Date;
  createdBy: MemberName;
}

/**
 * Creates a link to the plan, or to the runs to a saved list of groups. Returns its token, which is shown once. Throws 404 for a list that is
 * not the workspace's, and 409 when it has as many links as one may have.
 */
export function shareCalendar(
  { db }: { db: Database },
  actor: Actor,
  { groupListId = null }: { groupListId?: number | null | undefined },
): Promise<{ calendarLinkId: number; token: string }> {
  const { workspaceId, userId } = actor;
  const token = generateToken();
  return db.transaction().execute(async (trx) => {
    await lockMembers(trx, workspaceId);
    await assertStillMember(trx, actor, 'manager');
    if (groupListId !== null) await readGroupList(trx, workspaceId, groupListId);
    const count = await readCount(trx)`select count(*) from calendar_links where workspace_id = ${workspaceId}`;
    if (count >= LINKS_LIMIT)
      throw new AppError(
        'calendar_link_limit_reached',
        `You have reached the limit of ${LINKS_LIMIT} links to the calendar. Revoke one.`,
      );
    const { calendarLinkId } = await readOne<{ calendarLinkId: number }>(trx)`
      insert into calendar_links (workspace_id, token_hash, group_list_id, created_by)
      values (${workspaceId}, ${hashSecret(token)}, ${groupListId}, ${userId})
      returning calendar_link_id as "calendarLinkId"`;
    await recordAudit(trx, { ...actor, action: 'calendar.shared', subject: String(calendarLinkId) });
    return { calendarLinkId, token };
  });
}

/** Returns the links of the workspace, newest first. */
export function listCalendarLinks({ db }: { db: Database }, { workspaceId }: Actor): Promise<CalendarLink[]> {
  return readRows<CalendarLink>(db)`
    select l.calendar_link_id as "calendarLinkId", l.created_at as "createdAt",
           case when g.group_list_id is not null then jsonb_build_object('groupListId', g.group_list_id, 'name', g.name) end as "groupList",
           jsonb_build_object('userId', l.created_by, 'userName', u.user_name, 'name', ${PERSON_NAME}) as "createdBy"
    from calendar_links l
    left join group_lists g on g.group_list_id = l.group_list_id
    left join users u on u.user_id = l.created_by and u.deleted_at is null
    where l.workspace_id = ${workspaceId} order by l.calendar_link_id desc`;
}

/** Ends a link at once. Throws 404 for a link that the workspace does not have. */
export async function revokeCalendarLink({ db }: { db: Database }, actor: Actor, linkId: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const affected = await execute(trx)`
      delete from calendar_links where workspace_id = ${actor.workspaceId} and calendar_link_id = ${linkId}`;
    if (affected === 0)
      throw new AppError('calendar_link_not_found', 'You have no link to the calendar with this id', {
        details: [fieldError('calendar_link_id', 'unknown_id', { of: 'links' })],
      });
    await recordAudit(trx, { ...actor, action: 'calendar.revoked', subject: String(linkId) });
  });
}

/** What a link shows. */
export interface LinkedCalendar {
  workspaceId: WorkspaceId;
  workspaceName: string | null;
  groupListId: number | null;
  groupListName: string | null;
  /** Of the person who made it. */
  language: string | null;
}

/** A run as calendar programs see it. */
export interface CalendarRun extends Pick<
  ListedRun,
  'runId' | 'campaignId' | 'name' | 'status' | 'dueAt' | 'groupCount'
> {
  isPaused: boolean;
  /** Of the campaign. */
  createdAt: Date;
  changedAt: Date;
}

/**
 * Returns what the link of a token shows. Throws one and the same 404 for a token that is unknown or revoked, and while its maker is disabled,
 * or the owner is disabled or deleted. The caller limits how often it is called.
 */
export async function findLinkedCalendar(db: Connection, token: string): Promise<LinkedCalendar> {
  const linked = await readRow<LinkedCalendar>(db)`
    select l.workspace_id as "workspaceId", w.name as "workspaceName", g.group_list_id as "groupListId", g.name as "groupListName", u.language
    from calendar_links l
    join workspaces w on w.workspace_id = l.workspace_id
    join users u on u.user_id = l.created_by and u.disabled_at is null
    left join group_lists g on g.group_list_id = l.group_list_id
    where l.token_hash = ${hashSecret(token)} and ${HAS_ACTIVE_OWNER}`;
  if (!linked) throw new AppError('calendar_link_not_found', 'This link was revoked, or never existed');
  return linked;
}

/** Returns the runs of a link from 31 days ago on, by due time, at most 500. */
export async function readLinkedRuns(
  db: Connection,
  { workspaceId, groupListId }: LinkedCalendar,
): Promise<CalendarRun[]> {
  if (groupListId !== null) await remakeLists(db, workspaceId, [groupListId]);
  return readRows<CalendarRun>(db)`
    select * from (
      select r.run_id as "runId", c.public_id as "campaignId", c.name, c.status = 'paused' as "isPaused", r.status, r.due_at as "dueAt",
             cardinality(t.group_ids) as "groupCount", c.created_at as "createdAt",
             greatest(c.created_at, r.rescheduled_at, r.started_at, r.finished_at) as "changedAt"
      from runs r
      join campaigns c on c.campaign_id = r.campaign_id
      join contents t on t.content_id = coalesce(r.content_id, c.content_id)
      where r.workspace_id = ${workspaceId} and c.deleted_at is null and not c.is_test
        and r.due_at >= campanile_now() - ${PAST_DAYS} * interval '1 day' and r.due_at < campanile_now() + ${AHEAD_DAYS} * interval '1 day'
        and (${groupListId}::bigint is null
             or t.group_ids && (select group_ids from group_lists where group_list_id = ${groupListId}))
      order by r.due_at < campanile_now(), abs(extract(epoch from r.due_at - campanile_now())), r.run_id limit ${RUNS_LIMIT}
    ) nearest
    order by "dueAt", "runId"`;
}
