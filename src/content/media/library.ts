/** The files of a workspace, for its members to pick again. */
import { execute, readRow, readRows, sql, type Connection, type Database } from '../../platform/database/statements.ts';
import type { CampaignStatus, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { CAMPAIGNS_OF_MEDIA, IS_AWAITED, IS_IN_DRAFT } from './media-uses.ts';
import { noSuchMedia } from './store.ts';

/** A file of a workspace, without its bytes. */
export interface LibraryFile {
  mediaId: number;
  mime: string;
  /** In bytes. */
  size: number;
  sha256: Buffer;
  /** As its owner uploaded it; null: it came in base64. */
  name: string | null;
  /** Of a film that tells, in pixels. */
  width: number | null;
  height: number | null;
  seconds: number | null;
  /** Of a film. */
  hasStill: boolean;
  usedAt: Date;
}

/** The campaigns, drafts and templates that have a file. */
export interface MediaUses {
  campaigns: Array<{ campaignId: string; name: string; status: CampaignStatus }>;
  drafts: Array<{ draftId: string; name: string }>;
  templates: Array<{ templateId: string; name: string }>;
}

export interface LibraryPage {
  files: Array<LibraryFile & MediaUses>;
  next: number | null;
}

/** The newest uses of a file that a list names. */
const USES_LISTED = 10;

const FILE = sql<LibraryFile>`
  m.media_id as "mediaId", m.mime, m.size, m.sha256, m.name, m.width, m.height, m.seconds, m.still is not null as "hasStill", m.used_at as "usedAt"`;

/** The newest files of a workspace that are kept, `limit` at most, before the file with the id `before`; with `search` those of a name. */
export async function listLibrary(
  db: Connection,
  workspaceId: WorkspaceId,
  { before, limit, search }: { before: number | undefined; limit: number; search: string | undefined },
): Promise<LibraryPage> {
  const rows = await readRows<LibraryFile & MediaUses>(db)`
    select ${FILE},
      (select coalesce(jsonb_agg(jsonb_build_object('campaignId', k.public_id, 'name', k.name, 'status', k.status) order by k.campaign_id desc), '[]')
       from (select k.* from campaigns k where k.deleted_at is null
               and k.campaign_id in (select campaign_id from ${CAMPAIGNS_OF_MEDIA} c)
             order by k.campaign_id desc limit ${USES_LISTED}) k) as campaigns,
      (select coalesce(jsonb_agg(jsonb_build_object('draftId', d.draft_id, 'name', d.name)), '[]') from drafts d where ${IS_IN_DRAFT} and not d.is_template) as drafts,
      (select coalesce(jsonb_agg(jsonb_build_object('templateId', d.draft_id, 'name', d.name)), '[]') from drafts d
       where ${IS_IN_DRAFT} and d.is_template) as templates
    from media m
    where m.workspace_id = ${workspaceId} and m.bytes is not null and m.media_id < ${before ?? Number.MAX_SAFE_INTEGER}
      and (${search ?? null}::text is null or has_words(plain_text(m.name), ${search ?? ''}))
    order by m.media_id desc limit ${limit + 1}`;
  const files = rows.slice(0, limit);
  return { files, next: rows.length > limit ? (files.at(-1)?.mediaId ?? null) : null };
}

/** Throws 404 for a file that is not the workspace's, or no longer kept. */
export async function readLibraryFile(db: Connection, workspaceId: WorkspaceId, mediaId: number): Promise<LibraryFile> {
  const file = await readRow<LibraryFile>(db)`
    select ${FILE} from media m
    where m.media_id = ${mediaId} and m.workspace_id = ${workspaceId} and m.bytes is not null`;
  if (!file) throw noSuchMedia();
  return file;
}

/** Returns a file's name in the audit log. */
export function nameOfFile(mediaId: number, name: string | null | undefined): string {
  return name || String(mediaId);
}

/**
 * Deletes a file. Of one that an ended campaign has had the description stays. Throws 404, and 409 while a draft or template, a post that
 * waits for an approval, or a campaign that has not ended, has it.
 */
export async function deleteMedia(db: Database, actor: Actor, mediaId: number): Promise<void> {
  const { workspaceId } = actor;
  await db.transaction().execute(async (trx) => {
    // In the order of everybody else. A campaign that is just being accepted holds the file until it is there.
    await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
    await execute(trx)`select from media where media_id = ${mediaId} and workspace_id = ${workspaceId} for update`;
    const found = await readRow<{ name: string | null; isInUse: boolean; isTold: boolean }>(trx)`
      select m.name, exists (select from ${CAMPAIGNS_OF_MEDIA} c) as "isTold",
             exists (select from drafts d where ${IS_IN_DRAFT}) or ${IS_AWAITED}
               or exists (select from ${CAMPAIGNS_OF_MEDIA} c join campaigns k using (campaign_id)
                          where k.finished_at is null and k.deleted_at is null) as "isInUse"
      from media m where m.media_id = ${mediaId} and m.workspace_id = ${workspaceId} and m.bytes is not null`;
    if (!found) throw noSuchMedia();
    if (found.isInUse)
      throw new AppError(
        'media_in_use',
        'A draft, a template, a post that waits for an approval, or a campaign that has not ended, has this file. Delete or end it first.',
      );
    await (
      found.isTold
        ? sql`update media set bytes = null, still = null where media_id = ${mediaId}`
        : sql`delete from media where media_id = ${mediaId}`
    ).execute(trx);
    await recordAudit(trx, { ...actor, action: 'media.deleted', subject: nameOfFile(mediaId, found.name) });
  });
}
