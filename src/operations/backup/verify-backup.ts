import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRow, type Database } from '../../platform/database/statements.ts';
import { connectDatabase, type PostgresAddress } from '../../platform/database/connect.ts';
import { startEmbeddedPostgres } from '../../platform/database/embedded/embedded.ts';
import { requireKnownSchema } from '../../platform/database/migrate.ts';
import { StartupError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import { DUMP_FILE, type Manifest } from './manifest.ts';
import { loadDump } from './postgres-tools.ts';
import { stageBackup, unpackStaged } from './unpack-backup.ts';

interface Counts {
  users: number;
  campaigns: number;
  deliveries: number;
}

/** The content of a backup. Without authentication only its hashes were compared, with its own manifest. */
export type Verified = { manifest: Manifest } & ({ isAuthenticated: false } | ({ isAuthenticated: true } & Counts));

/**
 * Restores an authenticated backup into a temporary folder, starts a server on it, reads the data and removes everything. Without a
 * passphrase or an authentication code nothing is started, since the backup cannot be authenticated. Throws a StartupError that says how
 * the backup is damaged.
 */
export async function verifyBackup(
  file: string,
  { passphrase, log }: { passphrase: string | undefined; log: Log },
): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-verify-'));
  const undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    const staging = await mkdtemp(join(folder, 'staged-'));
    const backup = await stageBackup(file, staging, { passphrase, allowUnauthenticated: true });
    const { manifest, isAuthenticated } = backup;
    if (!isAuthenticated) return { manifest, isAuthenticated };
    await unpackStaged(backup, staging, { file, dataDir: folder, passphrase });
    const postgres = await startEmbeddedPostgres({ dataDir: folder, log, restart: false });
    undo.defer(() => postgres.stop());
    if (DUMP_FILE in manifest.files) await loadDump(join(folder, DUMP_FILE), postgres.address);
    return { manifest, isAuthenticated, ...(await readCounts(postgres.address, { file, manifest, log })) };
  } finally {
    await undo.disposeAsync();
  }
}

async function readCounts(
  address: PostgresAddress,
  { file, manifest, log }: { file: string; manifest: Manifest; log: Log },
): Promise<Counts> {
  const db = connectDatabase(address, { log, name: 'campanile backup verify', poolSize: 1 });
  try {
    await requireKnownSchema(db);
    return await readLedger(db, manifest, file);
  } finally {
    await db.destroy();
  }
}

async function readLedger(db: Database, manifest: Manifest, file: string): Promise<Counts> {
  const found = await readRow<Counts & { id: string | null; number: number }>(db)`
    select installation_id as id, number, (select count(*) from users) as users, (select count(*) from campaigns) as campaigns,
           (select count(*) from deliveries) as deliveries
    from ledger`;
  if (!found || found.id !== manifest.installationId || found.number < manifest.number)
    throw new StartupError(`${file} is damaged: its database does not match its manifest`);
  const { users, campaigns, deliveries } = found;
  return { users, campaigns, deliveries };
}
