/** Stills of films. The service has no decoder of films: browsers and programs make stills. */
import { execute, readRow, readValue, type Connection, type Database } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { acceptMedia } from './accept-media.ts';
import { nameOfFile } from './library.ts';
import { toStill } from './pictures.ts';
import { kindOf } from './sniff.ts';
import { CAMPAIGNS_OF_MEDIA, IS_AWAITED } from './media-uses.ts';
import { noSuchMedia } from './store.ts';

/**
 * Gives a film of the workspace this still, a picture in base64; without one, takes its still away. Posts that leave later have it.
 * Throws 404 for a file that is not the workspace's or no longer kept, and 400 for a file that is no film or a still that is no picture, and 409
 * for a film that an approval binds.
 */
export async function setStill(
  db: Database,
  actor: Actor,
  { mediaId, still }: { mediaId: number; still: string | undefined },
): Promise<void> {
  const { workspaceId } = actor;
  const mime = await readValue<string>(db)`
    select mime from media where media_id = ${mediaId} and workspace_id = ${workspaceId} and bytes is not null`;
  if (mime === undefined) throw noSuchMedia();
  if (kindOf(mime) !== 'video') throw invalid([fieldError('media_id', 'not_film')]);
  const jpeg = still === undefined ? null : await acceptStill(still);
  await db.transaction().execute(async (trx) => {
    await requireUnbound(trx, workspaceId, mediaId);
    const changed = await readRow<{ name: string | null }>(trx)`
      update media set still = ${jpeg} where media_id = ${mediaId} and workspace_id = ${workspaceId} and bytes is not null
      returning name`;
    if (!changed) throw noSuchMedia();
    await recordAudit(trx, { ...actor, action: 'media.changed', subject: nameOfFile(mediaId, changed.name) });
  });
}

/**
 * Members see the still: throws 409 for a film whose post waits for an approval, or was accepted in a workspace that uses approval. Until
 * the transaction ends, no request for an approval is written in the workspace.
 */
async function requireUnbound(trx: Connection, workspaceId: WorkspaceId, mediaId: number): Promise<void> {
  await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
  const isBound = await readValue<boolean>(trx)`
    select ${IS_AWAITED} or w.approval <> 'never' and exists (
             select from ${CAMPAIGNS_OF_MEDIA} c join campaigns k using (campaign_id)
             where k.finished_at is null and k.deleted_at is null)
    from media m join workspaces w using (workspace_id)
    where m.media_id = ${mediaId} and m.workspace_id = ${workspaceId}`;
  if (isBound)
    throw new AppError(
      'media_in_use',
      'A post that waits for an approval, or a campaign that has not ended, has this film. Set the still before you ask.',
    );
}

async function acceptStill(base64: string): Promise<Buffer> {
  const { bytes } = await acceptMedia('still', base64, { only: 'image' });
  return toStill({ field: 'still', bytes });
}

/** Returns the still of the film with this hash, a JPEG. Throws 404 if the workspace keeps none. */
export async function loadStill(db: Connection, workspaceId: WorkspaceId, sha256: Buffer): Promise<Buffer> {
  const still = await readValue<Buffer | null>(db)`
    select still from media where workspace_id = ${workspaceId} and sha256 = ${sha256}`;
  if (!still) throw noSuchMedia();
  return still;
}
