import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearestFolder } from '../../platform/database/embedded/folder.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';

/**
 * Returns why this process cannot write into a folder, as a sentence without its dot; undefined: it can. Writes a file and removes it, since
 * permissions tell neither of a read-only mount nor of a full disk. A missing folder is judged by the nearest one above it that exists.
 */
export async function findWriteProblem(folder: string): Promise<string | undefined> {
  let probe: string | undefined;
  try {
    probe = await mkdtemp(join(nearestFolder(folder), '.campanile-write-'));
    await writeFile(join(probe, 'file'), 'x'.repeat(4_096));
    return undefined;
  } catch (error) {
    return describeWriteError(error, folder);
  } finally {
    if (probe !== undefined) await rm(probe, { recursive: true, force: true });
  }
}

/** Returns what kept a file from being written into a folder, for the operator. */
export function describeWriteError(error: unknown, folder: string): string {
  const isThere = existsSync(folder);
  switch (errorCodeOf(error)) {
    case 'EROFS':
      return `${folder} is on a read-only file system for this process`;
    case 'EACCES':
    case 'EPERM':
      return isThere
        ? `the user of Campanile may not write into ${folder}`
        : `${folder} does not exist, and the user of Campanile may not create it`;
    // As /proc and some mounted folders say.
    case 'ENOENT':
      return `nothing can be created in ${nearestFolder(folder)}`;
    case 'ENOTDIR':
      return `${folder} is not a folder`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk of ${folder} is full`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
