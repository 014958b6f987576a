import { execute, hasRow, readCount, readRow, readRows, readValue, sql } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { PERSON_NAME } from '../../workspaces/members/person-name.ts';
import type { Connection } from '../../platform/database/statements.ts';
import { hashWords } from './draft-writers.ts';
import type { Group } from '../groups/store.ts';
import type { AccountId, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { PostFile } from '../../content/post/post-extras.ts';

/** What of a draft has no column of its own, as the wire has it. */
export interface DraftContent {
  html: string;
  is_schedule: boolean;
  start_date: string | null;
  end_date: string | null;
  schedule_time: string | null;
  time_zone: string | null;
  weekdays: number[] | null;
  /** Absent from drafts of versions that could not skip dates. */
  skip_dates?: string[] | null;
  idempotency_key: string | null;
  file_name?: string | null;
  media?: Array<{ media_id: number; caption?: string; file_name?: string }> | null;
  mention_all?: boolean;
  pin_for?: '24h' | '7d' | '30d' | null;
  reply_to?: { campaign_id: string; run_id: number | null } | null;
  follow_up?: { campaign_id: string; run_id: number | null; under_percent: number } | null;
  poll?: {
    question: string;
    options: string[];
    multiple: boolean;
    open_hours: number | null;
    names_voters: boolean;
  } | null;
  event?: {
    name: string;
    description: string | null;
    place: string | null;
    start_at: string | null;
    end_at: string | null;
  } | null;
  /** With a data URL of its picture, which is at most 128 KiB. */
  link_preview?: { url: string; title: string; description: string; image: string | null } | null;
  /** The account that is to send. */
  account_id?: AccountId | null;
}

/** A draft as lists tell of it. */
export interface DraftHead {
  /** A UUID, drawn by whoever began it. */
  draftId: string;
  name: string;
  /** The first characters of its html, to tell drafts without a name apart by. */
  htmlStart: string;
  groupCount: number;
  version: number;
  updatedAt: Date;
  media: { mime: string; size: number; sha256: Buffer } | null;
  /** Those who began and changed it, in this order; without a name, those who are no longer members. */
  writtenBy: Array<{ userId: UserId; userName: string | null; name: string | null }>;
}

/** A group that a draft is for, and that is there. */
export type DraftGroup = Pick<Group, 'groupId' | 'name' | 'kind' | 'participants'>;

export interface DraftRow {
  name: string;
  content: DraftContent;
  groupIds: readonly number[];
  /** undefined: the file stays; null: there is none. */
  mediaId: number | null | undefined;
}

const START_LENGTH = 500;

export function countDrafts(db: Connection, workspaceId: WorkspaceId): Promise<number> {
  return readCount(db)`select count(*) from drafts where workspace_id = ${workspaceId}`;
}

/** False when there is one of that id. */
export async function insertDraft(
  trx: Connection,
  { workspaceId, userId }: Actor,
  draftId: string,
  { name, content, groupIds, mediaId = null }: DraftRow,
): Promise<boolean> {
  const affected = await execute(trx)`
    insert into drafts (workspace_id, draft_id, name, content, group_ids, media_id, written_by)
    values (${workspaceId}, ${draftId}, ${name}, ${JSON.stringify(content)}::jsonb, ${groupIds}::bigint[], ${mediaId}, array[${userId}::bigint])
    on conflict do nothing`;
  return affected > 0;
}

/**
 * Answers the new version; undefined when the draft is not there in this version. A user who saves what is there already, as forms do, has
 * not written it.
 */
export async function overwriteDraft(
  trx: Connection,
  { workspaceId, userId }: Actor,
  { draftId, version }: { draftId: string; version: number },
  { name, content, groupIds, mediaId }: DraftRow,
): Promise<number | undefined> {
  const isSame = sql`
    name = ${name} and content - 'idempotency_key' = ${JSON.stringify(content)}::jsonb - 'idempotency_key'
    and group_ids = ${groupIds}::bigint[] and (${mediaId === undefined} or media_id is not distinct from ${mediaId ?? null}::bigint)`;
  return readValue<number>(trx)`
    update drafts
    set name = ${name}, content = ${JSON.stringify(content)}::jsonb, group_ids = ${groupIds}::bigint[],
        media_id = case when ${mediaId !== undefined} then ${mediaId ?? null}::bigint else media_id end,
        written_by = case when ${isSame} or ${userId} = any(written_by) then written_by else written_by || ${userId}::bigint end,
        version = version + 1, updated_at = campanile_now()
    where workspace_id = ${workspaceId} and draft_id = ${draftId} and version = ${version}
    returning version`;
}

/** The version that is kept, and whether it is the same as this; undefined when there is no such draft. */
export async function compareDraft(
  db: Connection,
  workspaceId: WorkspaceId,
  draftId: string,
  { name, content, groupIds, mediaId }: DraftRow,
): Promise<{ version: number; isSame: boolean } | undefined> {
  return readRow<{ version: number; isSame: boolean }>(db)`
    select version,
           name = ${name} and content = ${JSON.stringify(content)}::jsonb and group_ids = ${groupIds}::bigint[]
             and (${mediaId === undefined} or media_id is not distinct from ${mediaId ?? null}::bigint) as "isSame"
    from drafts where workspace_id = ${workspaceId} and draft_id = ${draftId}`;
}

/** Locks a draft of this version and returns it, for the differences of a change; undefined if it is not there in this version. */
export async function lockDraft(
  trx: Connection,
  workspaceId: WorkspaceId,
  { draftId, version }: { draftId: string; version: number },
) {
  return readRow<Omit<DraftRow, 'mediaId'> & { mediaId: number | null }>(trx)`
    select name, content, group_ids as "groupIds", media_id as "mediaId" from drafts
    where workspace_id = ${workspaceId} and draft_id = ${draftId} and version = ${version} for update`;
}

/** Deleted drafts of a workspace whose writers are kept. */
const DELETED_KEPT = 100;

/** Its writers are kept: somebody may still ask for the approval of its text. False when there is none. */
export async function removeDraft(trx: Connection, workspaceId: WorkspaceId, draftId: string): Promise<boolean> {
  const affected = await execute(trx)`
    with gone as (
      delete from drafts where workspace_id = ${workspaceId} and draft_id = ${draftId}
      returning draft_id, content, written_by)
    insert into deleted_drafts (workspace_id, draft_id, text_hash, written_by)
    select ${workspaceId}, draft_id, ${hashWords(sql`content`)}, written_by from gone
    on conflict (workspace_id, draft_id) do update
    set text_hash = excluded.text_hash, written_by = excluded.written_by, deleted_at = campanile_now()`;
  await execute(trx)`
    delete from deleted_drafts d using (
      select draft_id from deleted_drafts where workspace_id = ${workspaceId}
      order by deleted_at desc, draft_id offset ${DELETED_KEPT}) old
    where d.workspace_id = ${workspaceId} and d.draft_id = old.draft_id`;
  return affected > 0;
}

const WRITERS = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('userId', w.user_id, 'userName', u.user_name, 'name', ${PERSON_NAME}) order by w.place), '[]')
  from unnest(d.written_by) with ordinality w (user_id, place)
  left join memberships o on o.workspace_id = d.workspace_id and o.user_id = w.user_id
  left join users u on u.user_id = o.user_id and u.deleted_at is null)`;

/** All of the workspace, or only the one of this id; what was changed last comes first. */
export async function selectDrafts(
  db: Connection,
  workspaceId: WorkspaceId,
  draftId: string | undefined,
): Promise<DraftHead[]> {
  const rows = await readRows<Omit<DraftHead, 'media'> & { mime: string | null; size: number; sha256: Buffer }>(db)`
    select d.draft_id as "draftId", d.name, left(d.content ->> 'html', ${START_LENGTH}::int) as "htmlStart",
           cardinality(d.group_ids) as "groupCount", d.version, d.updated_at as "updatedAt",
           m.mime, m.size, m.sha256, ${WRITERS} as "writtenBy"
    from drafts d left join media m using (media_id)
    where d.workspace_id = ${workspaceId} and (${draftId ?? null}::uuid is null or d.draft_id = ${draftId ?? null}::uuid)
    order by d.updated_at desc, d.draft_id`;
  return rows.map(({ mime, size, sha256, ...head }) => ({
    ...head,
    media: mime === null ? null : { mime, size, sha256 },
  }));
}

/** Those of the draft's groups that are there at the messaging application, in the order given. */
export async function selectDraftGroups(db: Connection, workspaceId: WorkspaceId, draftId: string) {
  return readRows<DraftGroup>(db)`
    select g.group_id as "groupId", g.name, g.kind, g.participants
    from drafts d
    cross join unnest(d.group_ids) with ordinality i (group_id, place)
    join groups g using (group_id)
    where d.workspace_id = ${workspaceId} and d.draft_id = ${draftId} and g.removed_at is null
    order by i.place`;
}

/** Whether all of these are groups of the workspace's accounts, be they there at the messaging application or not. */
export async function ownsGroups(db: Connection, workspaceId: WorkspaceId, ids: readonly number[]): Promise<boolean> {
  return !(await hasRow(db)`
    select from unnest(${ids}::bigint[]) i (group_id)
    where not exists (select from groups g where g.group_id = i.group_id and g.workspace_id = ${workspaceId}) limit 1`);
}

export function noSuchDraft(): AppError {
  return new AppError('draft_not_found', 'You have no draft with this id', {
    details: [fieldError('draft_id', 'unknown_id', { of: 'drafts' })],
  });
}

/** The files of a draft that takes them from the library. */
export function filesOf({ media }: DraftContent): PostFile[] {
  return (media ?? []).map(({ media_id: mediaId, caption, file_name: fileName }) => ({
    mediaId,
    ...(caption !== undefined && { caption }),
    ...(fileName !== undefined && { fileName }),
  }));
}
