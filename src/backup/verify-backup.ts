import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { connectDatabase } from '../database/connect.ts';
import { startEmbeddedPostgres } from '../database/embedded.ts';
import { StartupError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { DUMP_FILE, type Manifest } from './manifest.ts';
import { loadDump } from './postgres-tools.ts';
import { unpackBackup } from './unpack-backup.ts';

/** What was found in a backup. */
export interface Verified {
  manifest: Manifest;
  users: number;
  campaigns: number;
  deliveries: number;
}

/**
 * Restores a backup into a folder of its own, starts a server on it, reads what is in it and removes it all again. With a passphrase the
 * secrets are opened, too. Throws a StartupError that says what is wrong with the backup.
 */
export async function verifyBackup(
  file: string,
  { passphrase, log }: { passphrase: string | undefined; log: Log },
): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-verify-'));
  const undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    const manifest = await unpackBackup(file, folder, passphrase);
    const postgres = await startEmbeddedPostgres({ dataDir: folder, log, restart: false });
    undo.defer(() => postgres.stop());
    if (DUMP_FILE in manifest.files) await loadDump(join(folder, DUMP_FILE), postgres.address);
    const db = connectDatabase(postgres.address, { log, name: 'campanile backup verify', poolSize: 1 });
    undo.defer(() => db.destroy());
    const { rows } = await sql<{
      id: string | null;
      number: number;
      users: number;
      campaigns: number;
      deliveries: number;
    }>`
      select installation_id as id, number, (select count(*) from users) as users, (select count(*) from campaigns) as campaigns,
             (select count(*) from deliveries) as deliveries
      from ledger`.execute(db);
    const [found] = rows;
    if (!found || found.id !== manifest.installationId || found.number < manifest.number)
      throw new StartupError(`${file} is damaged: its database is not the one that its manifest tells of`);
    const { users, campaigns, deliveries } = found;
    return { manifest, users, campaigns, deliveries };
  } finally {
    await undo.disposeAsync();
  }
}
