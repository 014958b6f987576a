import { makeBackup } from '../operations/backup/make-backup.ts';
import { SECRETS_FILE } from '../operations/backup/manifest.ts';
import { restoreBackup } from '../operations/backup/restore-backup.ts';
import { restoreDatabase } from '../operations/backup/restore-database.ts';
import { readPassphrase } from '../operations/backup/secrets-box.ts';
import { verifyBackup, type Verified } from '../operations/backup/verify-backup.ts';
import { readConfig } from '../platform/config/config.ts';
import { addressOf } from '../platform/database/connect.ts';
import { createLog } from '../platform/log/log.ts';
import { readVersion } from '../platform/config/version.ts';
import type { Shell } from './command.ts';
import { withDatabase } from './with-database.ts';

interface PassphraseOption {
  'passphrase-file': string | undefined;
}

type BackupShell<Options = PassphraseOption> = Shell & { args: { FILE: string }; options: Options };
type TrustOptions = PassphraseOption & { unauthenticated: boolean };

/** `campanile backup`. Throws a StartupError with the remedy when the operator has to change something. */
export async function backup({ args: { FILE }, options, output }: BackupShell): Promise<number> {
  const passphrase = await readGivenPassphrase(options);
  await withDatabase(async ({ config: { databaseUrl, dataDir }, db, address }) => {
    const startedAt = performance.now();
    const { files: written } = await makeBackup({
      db,
      address,
      isEmbedded: databaseUrl === undefined,
      dataDir,
      file: FILE,
      passphrase,
      version: readVersion().version,
    });
    const bytes = Object.values(written).reduce((sum, one) => sum + one.bytes, 0);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    output.write(`${FILE}: ${(bytes / 1024 ** 2).toFixed(1)} MB in ${seconds} s\n`);
  });
  return 0;
}

/** `campanile backup verify`: 1 for a backup that was not authenticated, unless that is accepted. */
export async function verify({ args: { FILE }, options, output }: BackupShell<TrustOptions>): Promise<number> {
  const passphrase = await readGivenPassphrase(options);
  const verified = await verifyBackup(FILE, { passphrase, log: createLog('fatal') });
  output.write(describeVerified(FILE, verified));
  return verified.isAuthenticated || options.unauthenticated ? 0 : 1;
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

/** `campanile restore`. Throws a StartupError with the remedy when the operator has to change something. */
export async function restore({ args: { FILE }, options, output }: BackupShell<TrustOptions>): Promise<number> {
  const trust = { passphrase: await readGivenPassphrase(options), allowUnauthenticated: options.unauthenticated };
  const { databaseUrl, dataDir, encryptionKey } = readConfig();
  const { manifest, isAuthenticated } =
    databaseUrl === undefined
      ? await restoreBackup(FILE, dataDir, trust)
      : await restoreDatabase(FILE, { address: addressOf(databaseUrl), dataDir, trust });
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

function readGivenPassphrase({ 'passphrase-file': file }: PassphraseOption) {
  return file === undefined ? Promise.resolve(undefined) : readPassphrase(file);
}
