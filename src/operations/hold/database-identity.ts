import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasRow, readOne, type Connection } from '../../platform/database/statements.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';

/**
 * Returns an identity of a folder that survives restarts, renames and remounts, and differs in a copy: the inode number and, behind an
 * `@`, the birth time. The device number is left out, because it changes with each mount.
 */
export async function identifyFolder(dataDir: string): Promise<string> {
  const { ino, birthtimeNs, ctimeNs } = await stat(join(dataDir, 'postgres'), { bigint: true });
  // A file system without birth times reports 0 or the last change, and the last change of this folder is always later than its birth.
  const isKnown = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return `folder ${ino}@${isKnown ? birthtimeNs : ''}`;
}

/**
 * Returns a function that resolves to an identity of a database on an operator's own server: the cluster's and the database's ids. It
 * survives a failover to a replica, and differs after a dump and restore. Undefined while the server does not permit reading it.
 */
export function createDatabaseIdentifier(db: Connection): () => Promise<string | undefined> {
  let isPermitted = false;
  return async () => {
    // Asked first: a statement that is not permitted would be an error in the server's log every two seconds.
    isPermitted ||= await hasRow(db)`select where has_function_privilege('pg_control_system()', 'execute')`;
    if (!isPermitted) return undefined;
    try {
      const { id, oid } = await readOne<{ id: string; oid: string }>(db)`
        select system_identifier::text as id, oid::text
        from pg_control_system(), pg_database where datname = current_database()`;
      return `database ${id}/${oid}`;
    } catch (error) {
      if (errorCodeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
      isPermitted = false;
      return undefined;
    }
  };
}

const INSUFFICIENT_PRIVILEGE = '42501';
