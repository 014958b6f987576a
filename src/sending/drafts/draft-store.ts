import {
  execute,
  hasRow,
  readCount,
  readRow,
  readRows,
  readValue,
  sql,
  type RawBuilder,
} from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { PERSON_NAME, type MemberName } from '../../workspaces/members/person-name.ts';
import type { Connection } from '../../platform/database/statements.ts';
import { hashWords } from './draft-writers.ts';
import type { AccountId, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { Value } from '../../workspaces/audit/diff-values.ts';
import type { PostFile } from '../../content/post/post-extras.ts';

/** What of a draft has no column of its own, as the wire has it: `storedContent` of the API tells all of it. Here is what is read of it. */
export interface DraftContent extends Record<string, Value> {
  weekdays: number[] | null;
  /** Absent from drafts of versions that could not skip dates. */
  skip_dates?: string[] | null;
  idempotency_key: string | null;
  translations?: Array<{ language: string; html: string }>;
  media?: Array<{ media_id: number; caption?: string; file_name?: string }> | null;
  /** With a data URL of its picture, which is at most 128 KiB. */
  link_preview?: { url: string; title: string; description: string; image: string | null } | null;
  /** The account that is to send. */
  account_id?: AccountId | null;
  /** The saved lists that the post is to go to. */
  group_list_ids?: number[];
}

/** A template is a draft that stays: posts begin with copies of it. */
export type DraftKind = 'draft' | 'template';

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
  writtenBy: MemberName[];
  /** Who changed it last; nobody of a draft that an earlier version saved. */
  changedBy: MemberName;
}

export interface DraftRow {
  name: string;
  content: DraftContent;
  groupIds: readonly number[];
  mediaId: number | null;
}

const START_LENGTH = 500;

export function countDrafts(db: Connection, workspaceId: WorkspaceId, kind: DraftKind): Promise<number> {
  return readCount(db)`select count(*) from drafts where workspace_id = ${workspaceId} and ${isOf(kind)}`;
}

const isOf = (kind: DraftKind) => sql<boolean>`is_template = ${kind === 'template'}`;

/** Locks a draft and returns it; undefined when there is no such draft. */
export function lockDraft(trx: Connection, workspaceId: WorkspaceId, draftId: string) {
  return readRow<DraftRow & { version: number; kind: DraftKind; beganBy: UserId | null }>(trx)`
    select version, name, content, group_ids as "groupIds", media_id as "mediaId", written_by[1] as "beganBy",
           case when is_template then 'template' else 'draft' end as kind from drafts
    where workspace_id = ${workspaceId} and draft_id = ${draftId} for update`;
}

export async function insertDraft(
  trx: Connection,
  { workspaceId, userId }: Actor,
  { draftId, kind }: { draftId: string; kind: DraftKind },
  { name, content, groupIds, mediaId }: DraftRow,
): Promise<void> {
  await execute(trx)`
    insert into drafts (workspace_id, draft_id, is_template, name, content, group_ids, media_id, written_by, changed_by)
    values (${workspaceId}, ${draftId}, ${kind === 'template'}, ${name}, ${JSON.stringify(content)}::jsonb, ${groupIds}::bigint[], ${mediaId},
            array[${userId}::bigint], ${userId})`;
}

/** Answers the new version of a locked draft. A user who `isWriter` is kept among its writers. */
export async function overwriteDraft(
  trx: Connection,
  { workspaceId, userId }: Actor,
  draftId: string,
  { name, content, groupIds, mediaId, isWriter }: DraftRow & { isWriter: boolean },
): Promise<number | undefined> {
  return readValue<number>(trx)`
    update drafts
    set name = ${name}, content = ${JSON.stringify(content)}::jsonb, group_ids = ${groupIds}::bigint[], media_id = ${mediaId},
        written_by = case when ${!isWriter} or ${userId} = any(written_by) then written_by else written_by || ${userId}::bigint end,
        version = version + 1, updated_at = campanile_now(), changed_by = ${userId}
    where workspace_id = ${workspaceId} and draft_id = ${draftId}
    returning version`;
}

/** Deleted drafts of a workspace whose writers are kept. */
const DELETED_KEPT = 100;

/** Its writers are kept: somebody may still ask for the approval of its text. */
export async function removeDraft(trx: Connection, workspaceId: WorkspaceId, draftId: string): Promise<void> {
  await execute(trx)`
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
}

const writersOf = (ids: RawBuilder<unknown>) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('userId', w.user_id, 'userName', u.user_name, 'name', ${PERSON_NAME}) order by w.place), '[]')
  from unnest(${ids}) with ordinality w (user_id, place)
  left join memberships o on o.workspace_id = d.workspace_id and o.user_id = w.user_id
  left join users u on u.user_id = o.user_id and u.deleted_at is null)`;

/** All of this kind in the workspace, or only the one of this id; what was changed last comes first. */
export async function selectDrafts(
  db: Connection,
  workspaceId: WorkspaceId,
  kind: DraftKind,
  draftId: string | undefined,
): Promise<DraftHead[]> {
  const rows = await readRows<Omit<DraftHead, 'media'> & { mime: string | null; size: number; sha256: Buffer }>(db)`
    select d.draft_id as "draftId", d.name, left(d.content ->> 'html', ${START_LENGTH}::int) as "htmlStart",
           cardinality(d.group_ids) as "groupCount", d.version, d.updated_at as "updatedAt",
           m.mime, m.size, m.sha256, ${writersOf(sql`d.written_by`)} as "writtenBy",
           ${writersOf(sql`array[coalesce(d.changed_by, 0)]`)} -> 0 as "changedBy"
    from drafts d left join media m using (media_id)
    where d.workspace_id = ${workspaceId} and ${isOf(kind)} and (${draftId ?? null}::uuid is null or d.draft_id = ${draftId ?? null}::uuid)
    order by d.updated_at desc, d.draft_id`;
  return rows.map(({ mime, size, sha256, ...head }) => ({
    ...head,
    media: mime === null ? null : { mime, size, sha256 },
  }));
}

/** Whether all of these are groups of the workspace's accounts, be they there at the messaging application or not. */
export async function ownsGroups(db: Connection, workspaceId: WorkspaceId, ids: readonly number[]): Promise<boolean> {
  return !(await hasRow(db)`
    select from unnest(${ids}::bigint[]) i (group_id)
    where not exists (select from groups g where g.group_id = i.group_id and g.workspace_id = ${workspaceId}) limit 1`);
}

export function noSuchDraft(kind: DraftKind): AppError {
  return new AppError(`${kind}_not_found`, `You have no ${kind} with this id`, {
    details: [fieldError(`${kind}_id`, 'unknown_id', { of: `${kind}s` })],
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
