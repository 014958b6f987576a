/** Whether the secrets that are configured here are those of the ledger. */
import type { Database } from '../../platform/database/connect.ts';
import { keyIdOf } from '../../platform/secrets/secret-box.ts';
import { jwtSecretIdOf, readIds, readKey, type SecretSettings } from '../../platform/secrets/load-secrets.ts';
import { describeSealed, findSealedByOthers, SEALED_COLUMNS } from '../../platform/secrets/sealed-columns.ts';
import { JWT_SECRET_FILE, readPreviousJwtSecret, readSecret } from '../../platform/secrets/secret-files.ts';
import { find, type Finding } from './finding.ts';

const RESTORE =
  'Set ENCRYPTION_KEY or ENCRYPTION_KEY_PREVIOUS to the key that sealed the data, from a backup of the secrets. If the key is lost, run "campanile secrets give-up".';

/** Counts what no configured key opens, by kind, and compares the ids of the secrets. It makes none. */
export async function checkSecrets(db: Database, config: SecretSettings): Promise<Finding[]> {
  const recorded = await readIds(db);
  const key = await readKey(config);
  const keyIds = [key, config.encryptionKeyPrevious].flatMap((one) => (one ? [keyIdOf(one)] : []));
  const findings: Finding[] = [];
  const [keyId] = keyIds;
  if (!key)
    findings.push(
      find('secrets', `The encryption key is missing: the ledger needs ${recorded.keyId ?? 'one'}`, 'error', RESTORE),
    );
  else if (recorded.keyId !== null && !keyIds.includes(recorded.keyId))
    findings.push(
      find(
        'secrets',
        `The configured encryption key is ${keyId}, and the ledger needs ${recorded.keyId}`,
        'error',
        RESTORE,
      ),
    );
  const sealed = await findSealedByOthers(db, keyIds);
  for (const what of SEALED_COLUMNS)
    for (const rows of sealed.filter((one) => one.what === what))
      findings.push(
        find(
          'secrets',
          `No configured key opens ${describeSealed([rows])}: the data was sealed with ${rows.keyIdPrefix}…`,
          'error',
          RESTORE,
        ),
      );
  findings.push(...(await checkJwtSecret(config, recorded.jwtSecretId)));
  return findings.length > 0 ? findings : [find('secrets', `The encryption key ${keyId} opens all sealed secrets`)];
}

async function checkJwtSecret(config: SecretSettings, recorded: string | null): Promise<Finding[]> {
  const { dataDir } = config;
  const secrets = [
    config.jwtSecret ?? (await readSecret(dataDir, JWT_SECRET_FILE)),
    config.jwtSecretPrevious ?? (await readPreviousJwtSecret(dataDir)),
  ];
  const ids = secrets.flatMap((one) => (one === undefined ? [] : [jwtSecretIdOf(one)]));
  if (recorded === null || ids.includes(recorded)) return [];
  return [
    find(
      'secrets',
      'The token secret differs from the one of the process that started last, so each rejects the tokens of the other',
      'warning',
      'Give all processes the same JWT_SECRET.',
    ),
  ];
}
