import { parseArgs } from 'node:util';
import { makeBackup } from '../backup/make-backup.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { restoreDatabase } from '../backup/restore-database.ts';
import { readPassphrase } from '../backup/secrets-box.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { readConfig } from '../config.ts';
import { UsageError } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { readVersion } from '../lib/version.ts';
import type { Shell } from './shell.ts';
import { withDatabase } from './with-database.ts';

/** `campanile backup FILE` and `campanile backup verify FILE`. Throws a UsageError for words it does not take, a StartupError for whatever the operator has to change. */
export async function backup({ given, output }: Shell): Promise<number> {
  const { files, passphrase } = await readGiven(given);
  const [first, second] = files;
  const log = createLog('fatal');
  if (first === 'verify' && second !== undefined && files.length === 2) {
    const { manifest, users, campaigns, deliveries } = await verifyBackup(second, { passphrase, log });
    output.write(
      `${second} is whole: made ${manifest.madeAt} by Campanile ${manifest.version}, with ${users} users, ${campaigns} campaigns and ${deliveries} posts\n`,
    );
    return 0;
  }
  if (first === undefined || files.length > 1 || first === 'verify') throw new UsageError('Say into which file');
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

/** `campanile restore FILE`. Throws a UsageError for words it does not take, a StartupError for whatever the operator has to change. */
export async function restore({ given, output }: Shell): Promise<number> {
  const { files, passphrase } = await readGiven(given);
  const [file] = files;
  if (file === undefined || files.length > 1) throw new UsageError('Say which backup');
  const { databaseUrl, dataDir, encryptionKey } = readConfig();
  const manifest =
    databaseUrl === undefined
      ? await restoreBackup(file, dataDir, passphrase)
      : await restoreDatabase(file, { address: { url: databaseUrl }, dataDir, passphrase });
  const lacksSecrets = 'secrets.json' in manifest.files && passphrase === undefined && encryptionKey === undefined;
  output.write(
    `Restored into ${databaseUrl === undefined ? dataDir : 'the database of DATABASE_URL'}, as of ${manifest.madeAt}. It is held: when it is started it serves and sends nothing, until "campanile release".\n` +
      (lacksSecrets
        ? 'Its secrets were not restored: it starts once the file encryption-key is in DATA_DIR, or ENCRYPTION_KEY is set. Restore it with --passphrase-file instead; where the passphrase is lost, see campanile secrets give-up.\n'
        : ''),
  );
  return 0;
}

async function readGiven(given: readonly string[]): Promise<{ files: string[]; passphrase: string | undefined }> {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...given],
      allowPositionals: true,
      options: { 'passphrase-file': { type: 'string' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const file = parsed.values['passphrase-file'];
  return { files: parsed.positionals, passphrase: file === undefined ? undefined : await readPassphrase(file) };
}
