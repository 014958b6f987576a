import { sql } from 'kysely';
import { pingDatabase, type Database } from './connect.ts';

/** What is known of the disk that the database is on. */
export interface DiskWatch {
  /** Takes what a statement failed of, whatever it is. */
  note(error: unknown): void;
  noteFull(): void;
  /** Whether somebody has found it full in the last minute, and nothing has shown since that there is room. */
  isFull(): boolean;
  /** Resolves when the server answers, and can write again where it could not; throws otherwise. */
  check(db: Database): Promise<void>;
}

const REMEMBERED_MS = 60_000;
const DISK_FULL = '53100';
/** More than what is left over on a disk that counts as full. */
const ROOM_KILOBYTES = 1_024;

export function watchDisk(): DiskWatch {
  let fullMs = -Infinity;
  const isFull = () => performance.now() - fullMs < REMEMBERED_MS;
  const noteFull = () => {
    fullMs = performance.now();
  };
  return {
    note(error) {
      if (error instanceof Error && 'code' in error && error.code === DISK_FULL) noteFull();
    },
    noteFull,
    isFull,
    async check(db) {
      await pingDatabase(db);
      if (!isFull()) return;
      await tryRoom(db);
      fullMs = -Infinity;
    },
  };
}

/** Whatever only reads, or finds room in a block that is there, would not notice. */
async function tryRoom(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`create temporary table campanile_room (text text) on commit drop`.execute(trx);
    await sql`insert into campanile_room select repeat('x', 1000) from generate_series(1, ${ROOM_KILOBYTES}::int)`.execute(
      trx,
    );
  });
}
