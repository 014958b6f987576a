import { readCount, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { MEBIBYTE } from './media-limits.ts';

/** Throws `no_room` when a file of `size` bytes would make a workspace's stored files exceed `most` bytes. */
export async function assertStorageQuota(
  db: Connection,
  workspaceId: WorkspaceId,
  size: number,
  most: number,
): Promise<void> {
  const stored = await readCount(db)`
    select stored_bytes from workspaces where workspace_id = ${workspaceId}`;
  if (stored + size <= most) return;
  const [has, takes, may] = [stored, size, most].map((bytes) => (bytes / MEBIBYTE).toFixed(1));
  throw new AppError(
    'storage_full',
    `The file has ${takes} MB, and your files already use ${has} of ${may} MB. Delete campaigns, drafts or templates with files that you no longer need. Their space is free within two days.`,
  );
}
