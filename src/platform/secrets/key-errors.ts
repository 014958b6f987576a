/** The errors of a process whose encryption key does not fit the installation, with the remedies. */
import { StartupError } from '../errors/errors.ts';
import { describeSealed, type SealedRows } from './sealed-columns.ts';

const WAYS_OUT =
  'Processes that share a database need the same ENCRYPTION_KEY. Where the key is lost for good, "campanile secrets give-up" says what is lost with it, and gives that up (docs/how-to/change-the-encryption-key.md).';

/** `keyId`: null where no version that records ids has started yet; rows tell the first digits. */
export function missingKeyError(found: {
  keyId: string | null;
  sealed: readonly SealedRows[];
  file: string;
}): StartupError {
  const { keyId, sealed, file } = found;
  const wanted = keyId ?? listKeyIdPrefixes(sealed);
  return new StartupError(
    `The encryption key ${wanted} is missing: ENCRYPTION_KEY is not set, and there is no file ${file}. ` +
      `It seals ${describeSealed(sealed) || 'nothing yet, and other processes use it'}. ` +
      `Restore that file from the secrets of a backup, or set ENCRYPTION_KEY to the key. ${WAYS_OUT}`,
  );
}

export function wrongKeyError(keyId: string, recorded: string): StartupError {
  return new StartupError(
    `The encryption key here is ${keyId}, and the ledger is sealed with ${recorded}: set ENCRYPTION_KEY to that key, or restore the file encryption-key from the secrets of a backup. ` +
      `To change the key, set ENCRYPTION_KEY_PREVIOUS to the key ${recorded}. ${WAYS_OUT}`,
  );
}

export function foreignRowsError(keyId: string, sealed: readonly SealedRows[]): StartupError {
  return new StartupError(
    `The encryption key here, ${keyId}, does not open ${describeSealed(sealed)}: they are sealed with ${listKeyIdPrefixes(sealed)}. ` +
      `Set ENCRYPTION_KEY_PREVIOUS to that key until all is sealed with the present one, or ENCRYPTION_KEY if it is the right one. ${WAYS_OUT}`,
  );
}

/** The keys that seal the rows, as far as rows tell: by the first half of their ids. */
export function listKeyIdPrefixes(sealed: readonly SealedRows[]): string {
  return [...new Set(sealed.map(({ keyIdPrefix }) => `${keyIdPrefix}…`))].join(', ');
}
