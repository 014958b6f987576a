import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, open, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StartupError, errorCodeOf } from '../../errors/errors.ts';

/**
 * Creates DATA_DIR if necessary, and lets only its owner enter it. Returns its real path. Throws a StartupError that says what to correct.
 */
export async function prepareFolder(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    // First its parents: made together with it they would be 0700 too.
    await mkdir(dirname(path), { recursive: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    await closeToOthers(path);
    return await realpath(path);
  } catch (error) {
    throw folderError((await isReadOnly(error, path)) ? Object.assign(new Error(), { code: 'EROFS' }) : error, path);
  }
}

async function closeToOthers(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  const permissions = mode & 0o777;
  if (permissions === 0o700) return;
  const self = process.getuid?.();
  if (self !== undefined && self !== 0 && uid !== self)
    throw new StartupError(
      `DATA_DIR (${path}) belongs to another user and is open to others (0${permissions.toString(8)}), who could read its secrets: ` +
        'run "chown" on it for the user Campanile runs as, or choose another DATA_DIR.',
    );
  await chmod(path, 0o700);
}

/** Node.js says ENOENT of a folder that cannot be made on a disk that is read only. */
async function isReadOnly(error: unknown, path: string): Promise<boolean> {
  if (errorCodeOf(error) !== 'ENOENT') return false;
  return access(nearestFolder(path), constants.W_OK).then(
    () => false,
    (found: unknown) => errorCodeOf(found) === 'EROFS',
  );
}

/** Returns the folder, or the nearest one above it that exists. */
export function nearestFolder(folder: string): string {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  return existing;
}

/** Returns a StartupError with a sentence for the operator for a known file error below DATA_DIR, and other errors unchanged. */
export function folderError(error: unknown, dataDir: string): unknown {
  const code = errorCodeOf(error);
  const reason = typeof code === 'string' ? REASONS[code] : undefined;
  return reason ? new StartupError(reason(dataDir), error) : error;
}

/** Returns the text of a file; undefined where it is missing. */
export async function readIfThere(file: string | URL): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** fsync of a folder, so that a rename survives a power cut. Windows has no such call for folders, and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await syncFile(folder);
}

/** Forces a file onto the disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** PostgreSQL did not start because the disk is full: the one reason that may pass by itself. */
export class DiskFullError extends StartupError {
  constructor(dataDir: string) {
    super(diskFull(dataDir));
  }
}

/** The sentence for a full disk, which PostgreSQL reports in words of its own. */
export function diskFull(dataDir: string): string {
  return `The disk that holds DATA_DIR (${dataDir}) is full: make room on it, or choose another DATA_DIR.`;
}

const notWritable = (dataDir: string) =>
  `DATA_DIR (${dataDir}) cannot be read and written by the user Campanile runs as: change the owner of the folder, or choose another DATA_DIR.`;
const notAFolder = (dataDir: string) =>
  `DATA_DIR (${dataDir}) is not a folder, or a part of its path is a file: choose another DATA_DIR.`;

const REASONS: Record<string, (dataDir: string) => string> = {
  EACCES: notWritable,
  EPERM: notWritable,
  EEXIST: notAFolder,
  ENOTDIR: notAFolder,
  EROFS: (dataDir) => `DATA_DIR (${dataDir}) is on a read-only file system: choose another DATA_DIR.`,
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  ENAMETOOLONG: (dataDir) => `The path of DATA_DIR (${dataDir}) is too long: choose a shorter one.`,
};
