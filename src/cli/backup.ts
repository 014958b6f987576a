import { parseArgs } from 'node:util';
import { makeBackup } from '../operations/backup/make-backup.ts';
import { SECRETS_FILE } from '../operations/backup/manifest.ts';
import type { Trust } from '../operations/backup/read-backup.ts';
import { restoreBackup } from '../operations/backup/restore-backup.ts';
import { restoreDatabase } from '../operations/backup/restore-database.ts';
import { readPassphrase } from '../operations/backup/secrets-box.ts';
import { verifyBackup, type Verified } from '../operations/backup/verify-backup.ts';
import { readConfig } from '../platform/config/config.ts';
import { UsageError } from '../platform/errors/errors.ts';
import { createLog } from '../platform/log/log.ts';
import { readVersion } from '../platform/config/version.ts';
import type { Shell } from './shell.ts';
import { withDatabase } from './with-database.ts';

/**
 * `campanile backup FILE` and `campanile backup verify FILE`. Throws a UsageError for wrong arguments, and a StartupError with the remedy
 * when the operator has to change something.
 */
export async function backup({ given, output }: Shell): Promise<number> {
  const { files, passphrase, allowUnauthenticated } = await readGiven(given);
  const [first, second] = files;
  if (first === 'verify' && second !== undefined && files.length === 2) {
    const verified = await verifyBackup(second, { passphrase, log: createLog('fatal') });
    output.write(describeVerified(second, verified));
    return verified.isAuthenticated || allowUnauthenticated ? 0 : 1;
  }
  if (allowUnauthenticated) throw new UsageError('--unauthenticated works with "backup verify" and "restore" only');
  if (first === undefined || files.length > 1 || first === 'verify') throw new UsageError('Expected the file to write');
  await withDatabase(async ({ config: { databaseUrl, dataDir }, db, address }) => {
    const startedAt = performance.now();
    const { files: written } = await makeBackup({
      db,
      address,
      isEmbedded: databaseUrl === undefined,
      dataDir,
      file: first,
      passphrase,
      version: readVersion().version,
    });
    const bytes = Object.values(written).reduce((sum, one) => sum + one.bytes, 0);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    output.write(`${first}: ${(bytes / 1024 ** 2).toFixed(1)} MB in ${seconds} s\n`);
  });
  return 0;
}

function describeVerified(file: string, verified: Verified): string {
  const { madeAt, version, files } = verified.manifest;
  if (verified.isAuthenticated)
    return `${file} is complete and authentic: made ${madeAt} by Campanile ${version}, with ${verified.users} users, ${verified.campaigns} campaigns and ${verified.deliveries} posts\n`;
  return `${file} was not authenticated: it has no authentication code, or no passphrase was given.
Checked: the sizes and SHA-256 of ${Object.keys(files).join(' and ')} match its manifest (made ${madeAt} by Campanile ${version}). An attacker can write a manifest too.
Not checked: its origin, and whether its database starts. Nothing was started.
`;
}

/**
 * `campanile restore FILE`. Throws a UsageError for wrong arguments, and a StartupError with the remedy when the operator has to change
 * something.
 */
export async function restore({ given, output }: Shell): Promise<number> {
  const { files, ...trust } = await readGiven(given);
  const [file] = files;
  if (file === undefined || files.length > 1) throw new UsageError('Expected one backup file');
  const { databaseUrl, dataDir, encryptionKey } = readConfig();
  const { manifest, isAuthenticated } =
    databaseUrl === undefined
      ? await restoreBackup(file, dataDir, trust)
      : await restoreDatabase(file, { address: { url: databaseUrl }, dataDir, trust });
  const lacksSecrets = SECRETS_FILE in manifest.files && trust.passphrase === undefined && encryptionKey === undefined;
  output.write(
    `Restored into ${databaseUrl === undefined ? dataDir : 'the database of DATABASE_URL'}, as of ${manifest.madeAt}. The ledger is held: the service starts, and sends nothing until you run "campanile release".\n` +
      (isAuthenticated
        ? ''
        : 'The backup was not authenticated: its checksums match its manifest, but an attacker can write a manifest too. A hostile database can run commands once it is started.\n') +
      (lacksSecrets
        ? 'The secrets were not restored. To start, put the file encryption-key into DATA_DIR or set ENCRYPTION_KEY, or restore again with --passphrase-file. If the passphrase is lost, see "campanile secrets give-up".\n'
        : ''),
  );
  return 0;
}

async function readGiven(given: readonly string[]): Promise<Trust & { files: string[] }> {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...given],
      allowPositionals: true,
      options: { 'passphrase-file': { type: 'string' }, unauthenticated: { type: 'boolean', default: false } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const { 'passphrase-file': file, unauthenticated } = parsed.values;
  return {
    files: parsed.positionals,
    passphrase: file === undefined ? undefined : await readPassphrase(file),
    allowUnauthenticated: unauthenticated,
  };
}
