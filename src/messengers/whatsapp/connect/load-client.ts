import type { Database } from '../../../platform/database/connect.ts';
import type { Log } from '../../../platform/log/log.ts';
import { checkSignatures, type SignatureDoubt } from '../client/check-signatures.ts';
import { prepareLibrary } from '../client/prepare-library.ts';
import { createClientVersions, type ClientVersions } from './client-versions.ts';

export interface ClientOptions {
  db: Database;
  log: Log;
  /** Undefined: WhatsApp's own server. */
  url: string | undefined;
  /** The key that signs the certificates of that server, 32 bytes. Undefined: WhatsApp's. */
  rootKey: Buffer | undefined;
  /** If true, a server or a phone with an invalid signature is rejected; with a `rootKey` always. Default is `false`. */
  rejectsForgeries?: boolean;
  /** The version of WhatsApp's client to claim to be. Undefined: the newest that is known. */
  version?: [number, number, number] | undefined;
  /** The page that names today's version. Undefined: WhatsApp's own, or none if `url` is set. */
  versionPage?: string | undefined;
  /** Called for what an operator should look into. */
  onAlarm?: ((alarm: WhatsAppAlarm) => void) | undefined;
}

export type WhatsAppAlarm =
  /** WhatsApp has refused a connection because of the version of the client. */
  | 'version_refused'
  /** WhatsApp knows other devices in a group than a post was encrypted for. */
  | 'devices_missed'
  /** A certificate of WhatsApp, or the identity that a user's phone signed, has an invalid signature. */
  | SignatureDoubt;

/** WhatsApp Web's service worker, which names its revision. */
const VERSION_PAGE = 'https://web.whatsapp.com/sw.js';

/** Loads and prepares the client library for the process. Resolves to the versions that it can claim to be. */
export async function loadClient(options: ClientOptions): Promise<ClientVersions> {
  const { db, log, url, rootKey, rejectsForgeries = false, version, onAlarm } = options;
  prepareLibrary(log);
  const isEnforced = rootKey !== undefined || rejectsForgeries;
  await checkSignatures({
    rootKey,
    isEnforced,
    onDoubt(doubt) {
      log.warn(
        { doubt, isRefused: isEnforced },
        'a signature of WhatsApp, or of a phone that is linked, does not hold',
      );
      onAlarm?.(doubt);
    },
  });
  const { versionPage = url === undefined ? VERSION_PAGE : undefined } = options;
  const onRejected = () => onAlarm?.('version_refused');
  return createClientVersions({ db, log, configured: version, pageUrl: versionPage, onRejected });
}
