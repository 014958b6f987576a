/** Whether the secrets that are configured here are those of the ledger. */
import type { Database } from '../../platform/database/statements.ts';
import { keyIdOf } from '../../platform/secrets/secret-box.ts';
import { jwtSecretIdOf, readIds, readKey, type SecretSettings } from '../../platform/secrets/load-secrets.ts';
import { describeSealed, findSealedByOthers, SEALED_COLUMNS } from '../../platform/secrets/sealed-columns.ts';
import { JWT_SECRET_FILE, readPreviousJwtSecret, readSecret } from '../../platform/secrets/secret-files.ts';
import { fail, orOk, warn, type Results } from './finding.ts';

const RESTORE =
  'Set ENCRYPTION_KEY or ENCRYPTION_KEY_PREVIOUS to the key that sealed the data, from a backup of the secrets. If the key is lost, run "campanile secrets give-up".';

/** Counts what no configured key opens, by kind, and compares the ids of the secrets. It makes none. */
export async function checkSecrets(db: Database, config: SecretSettings): Promise<Results> {
  const key = await readKey(config);
  const keyIds = [key, config.encryptionKeyPrevious].flatMap((one) => (one ? [keyIdOf(one)] : []));
  const problems = findSecretProblems(db, config, { hasKey: key !== undefined, keyIds });
  return orOk(problems, `The encryption key ${keyIds[0]} opens all sealed secrets`);
}

async function* findSecretProblems(
  db: Database,
  config: SecretSettings,
  { hasKey, keyIds }: { hasKey: boolean; keyIds: readonly string[] },
) {
  const recorded = await readIds(db);
  if (!hasKey) yield fail(`The encryption key is missing: the ledger needs ${recorded.keyId ?? 'one'}`, RESTORE);
  else if (recorded.keyId !== null && !keyIds.includes(recorded.keyId))
    yield fail(`The configured encryption key is ${keyIds[0]}, and the ledger needs ${recorded.keyId}`, RESTORE);
  const sealed = await findSealedByOthers(db, keyIds);
  for (const what of SEALED_COLUMNS)
    for (const rows of sealed.filter((one) => one.what === what))
      yield fail(
        `No configured key opens ${describeSealed([rows])}: the data was sealed with ${rows.keyIdPrefix}…`,
        RESTORE,
      );
  if (!(await hasJwtSecret(config, recorded.jwtSecretId)))
    yield warn(
      'The token secret differs from the one of the process that started last, so each rejects the tokens of the other',
      'Give all processes the same JWT_SECRET.',
    );
}

async function hasJwtSecret(config: SecretSettings, recorded: string | null): Promise<boolean> {
  const { dataDir } = config;
  const secrets = [
    config.jwtSecret ?? (await readSecret(dataDir, JWT_SECRET_FILE)),
    config.jwtSecretPrevious ?? (await readPreviousJwtSecret(dataDir)),
  ];
  const ids = secrets.flatMap((one) => (one === undefined ? [] : [jwtSecretIdOf(one)]));
  return recorded === null || ids.includes(recorded);
}
