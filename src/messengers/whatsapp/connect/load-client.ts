/** Prepares the client library, before the first connection. */
import communitiesLog from 'baileys/lib/Utils/logger.js';
import type { Database } from '../../../platform/database/connect.ts';
import type { Log } from '../../../platform/log/log.ts';
import { checkSignatures, type SignatureDoubt } from './check-signatures.ts';
import { createClientVersions, type ClientVersions } from './client-versions.ts';
import { withoutSecrets } from './quiet-log.ts';

export interface ClientOptions {
  db: Database;
  log: Log;
  /** Undefined: WhatsApp's own server. */
  url: string | undefined;
  /** Who signs the certificates of that server, 32 bytes. Undefined: WhatsApp. */
  rootKey: Buffer | undefined;
  /** Refuses a server, or a phone that is to be linked, whose signature does not hold; always so with a `rootKey`. Default is `false`. */
  rejectsForgeries?: boolean;
  /** The version of WhatsApp's client to say that we are. Undefined: the newest that is known. */
  version?: [number, number, number] | undefined;
  /** The page that names the version of today. Undefined: WhatsApp's own, unless the server is another; then nobody is asked. */
  versionPage?: string | undefined;
  /** Told of what an operator should look into. */
  onAlarm?: ((alarm: WhatsAppAlarm) => void) | undefined;
}

export type WhatsAppAlarm =
  /** WhatsApp has refused a connection because of the version of the client. */
  | 'version_refused'
  /** What came from who should be WhatsApp, or a user's phone, does not bear their signature. */
  | SignatureDoubt;

/** The page of WhatsApp's own that the library reads, too. */
const VERSION_PAGE = 'https://web.whatsapp.com/sw.js';

/** From then on the library is fit for use, and says which versions of it there are. What is of a process holds for the process. */
export async function loadClient(options: ClientOptions): Promise<ClientVersions> {
  const { db, log, url, rootKey, rejectsForgeries = false, version, onAlarm } = options;
  prepareOnce(log);
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

let isPrepared = false;

function prepareOnce(log: Log): void {
  if (isPrepared) return;
  isPrepared = true;
  // The part for communities has a logger of its own, to stdout, that takes no other.
  communitiesLog.level = 'silent';
  silenceConsole(log);
  surviveForgottenRejections(log);
}

/** The encryption library prints sessions, with their private keys, on the console. */
function silenceConsole(log: Log): void {
  const quiet =
    (level: 'debug' | 'warn') =>
    (...said: unknown[]) => {
      const sentence = typeof said[0] === 'string' ? withoutSecrets(said[0]) : 'something';
      log[level]({ console: sentence }, 'a library printed something, kept short here because of secrets');
    };
  Object.assign(console, { log: quiet('debug'), info: quiet('debug'), debug: quiet('debug') });
  Object.assign(console, { warn: quiet('debug'), error: quiet('debug'), trace: quiet('debug') });
}

const OF_THE_CLIENT = /[/\\]node_modules[/\\](baileys|libsignal|ws)[/\\]/;

/**
 * The client starts work whose failure nobody awaits, as when a connection breaks while it answers something. Such a failure ends
 * the connection, which is dealt with, and must not end the process. Anything else still does.
 */
function surviveForgottenRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    const isTheirs = reason instanceof Error && OF_THE_CLIENT.test(reason.stack ?? '');
    if (!isTheirs) throw reason;
    log.warn({ reason: withoutSecrets(reason.message) }, 'the WhatsApp client failed at something it did not await');
  });
}
