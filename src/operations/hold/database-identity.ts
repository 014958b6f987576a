import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

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
 * Returns an identity of a database on an operator's own server: the cluster's and the database's ids. It survives a failover to a
 * replica, and differs after a dump and restore. Undefined when the server does not permit reading it.
 */
export async function identifyDatabase(db: Connection): Promise<string | undefined> {
  const { rows } = await sql<{ may: boolean; oid: string }>`
    select has_function_privilege('pg_control_system()', 'execute') as may, oid::text
    from pg_database where datname = current_database()`.execute(db);
  if (!rows[0]?.may) return undefined;
  const { rows: server } = await sql<{ id: string }>`
    select system_identifier::text as id from pg_control_system()`.execute(db);
  return `database ${server[0]?.id ?? ''}/${rows[0].oid}`;
}
