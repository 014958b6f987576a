import { statfs } from 'node:fs/promises';
import { execute, type Database } from './statements.ts';
import { AppError, errorCodeOf } from '../errors/errors.ts';
import { pingDatabase } from './connect.ts';

/** The state of the database's disk. */
export type DiskWatch = ReturnType<typeof watchDisk>;

export interface DiskOptions {
  /** On the disk; undefined: the server is not ours. */
  folder?: string | undefined;
  /** The free space to keep, in bytes; a twentieth of the disk, at most 1 GiB, unless given. */
  floorBytes?: number | undefined;
}

const REMEMBERED_MS = 60_000;
const CHECK_MS = 1_000;
const LOW_RETRY_SECONDS = 60;
const SHARE_OF_DISK = 20;
const LARGEST_FLOOR_BYTES = 1024 ** 3;
const DISK_FULL = '53100';
/** More than the rest of a disk that counts as full. */
const ROOM_KILOBYTES = 1_024;

export function watchDisk({ folder, floorBytes }: DiskOptions = {}) {
  const isLow = folder === undefined ? undefined : throttleCheck(() => isBelowFloor(folder, floorBytes));
  let fullMs = -Infinity;
  /** Whether a statement found the disk full in the last minute, and no check since has found space. */
  const isFull = () => performance.now() - fullMs < REMEMBERED_MS;
  const reportDiskFull = () => {
    fullMs = performance.now();
  };
  return {
    /** Call it with the error of each failed statement. */
    recordError(error: unknown) {
      if (errorCodeOf(error) === DISK_FULL) reportDiskFull();
    },
    reportDiskFull,
    isFull,
    /**
     * Throws 503 while the free space is below the floor, which is reserved for work under way. Operations that store much call this first;
     * sending does not. Resolves if the disk is not on this machine.
     */
    async assertDiskSpace() {
      if (await isLow?.())
        throw new AppError(
          'disk_full',
          'The disk of this service is nearly full: new campaigns and files are taken when there is room again; what was accepted goes out',
          { retryAfterSeconds: LOW_RETRY_SECONDS },
        );
    },
    /** Resolves when the server answers, and can write again where it could not; throws otherwise. */
    async check(db: Database) {
      await pingDatabase(db);
      if (!isFull()) return;
      await probeDiskSpace(db);
      fullMs = -Infinity;
    },
  };
}

/** Returns the free bytes for an unprivileged user (`f_bavail`). */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bsize, bavail } = await statfs(folder);
  return bavail * bsize;
}

async function isBelowFloor(folder: string, floor: number | undefined): Promise<boolean> {
  const { freeBytes, floorBytes } = await readRoom(folder, floor);
  return freeBytes < floorBytes;
}

/** Returns the free bytes of a folder's disk, and the floor that must stay free: a twentieth of the disk, at most 1 GiB, unless given. */
export async function readRoom(folder: string, floorBytes: number | undefined) {
  const { bsize, blocks, bavail } = await statfs(folder);
  return {
    freeBytes: bavail * bsize,
    floorBytes: floorBytes ?? Math.min((blocks * bsize) / SHARE_OF_DISK, LARGEST_FLOOR_BYTES),
  };
}

/** Checks at most once in `CHECK_MS`; further callers share the answer. */
function throttleCheck(check: () => Promise<boolean>): () => Promise<boolean> {
  let last: Promise<boolean> | undefined;
  let atMs = -Infinity;
  return () => {
    if (last && performance.now() - atMs < CHECK_MS) return last;
    atMs = performance.now();
    return (last = check());
  };
}

/** A probe that only reads, or fits into an existing block, would not notice a full disk. */
async function probeDiskSpace(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await execute(trx)`create temporary table campanile_room (text text) on commit drop`;
    await execute(trx)`
      insert into campanile_room select repeat('x', 1000) from generate_series(1, ${ROOM_KILOBYTES}::int)`;
  });
}
