import { makeWASocket, proto, type GroupMetadata, type WASocket } from 'baileys';
import type { ILogger } from 'baileys/lib/Utils/logger.js';
import { codeOf } from '../failures.ts';
import type { Credentials } from './credentials.ts';

/** One connection to WhatsApp, from its opening to its end. */
export interface Socket {
  client: WASocket;
  /** Resolves when it is logged in; never when it ends before. */
  opened: Promise<void>;
  /** Resolves when it has ended, with the code of why; never rejects. */
  ended: Promise<number | undefined>;
  end(): void;
}

export interface SocketOptions {
  /** Undefined: WhatsApp's own. */
  url: string | undefined;
  /** How long each code to scan is shown, in milliseconds. Undefined: as long as WhatsApp takes it. */
  qrMs: number | undefined;
  credentials: Credentials;
  log: ILogger;
  /** A post that a phone asks for again. */
  recall(chatId: string, messageId: string): Promise<Buffer | undefined>;
  /** What is known of a group; undefined: the client asks. */
  groupOf(chatId: string): Promise<GroupMetadata | undefined>;
  /** The credentials have changed. */
  onCredentials(): void;
  /** A code for a phone to scan. */
  onQr?(qr: string): void;
  /** WhatsApp restricts the account, or lifts that. */
  onRestriction(restriction: Restriction): void;
  /** Called before anything is heard from WhatsApp. */
  onClient(client: WASocket): void;
}

export interface Restriction {
  isActive: boolean;
  /** Undefined: not said. */
  endsAt: Date | undefined;
}

/** After so many failed tries, this many milliseconds apart, the client gives up writing credentials. */
const COMMIT = { maxCommitRetries: 10, delayBetweenTriesMs: 500 };

/** Opens a connection: to log in when the credentials are linked, else to show codes that link them. */
export function openSocket(options: SocketOptions): Socket {
  const { credentials } = options;
  const client = makeWASocket({
    ...(options.url !== undefined && { waWebSocketUrl: options.url }),
    auth: { creds: credentials.creds, keys: credentials.keys },
    ...(options.qrMs !== undefined && { qrTimeout: options.qrMs }),
    logger: options.log,
    transactionOpts: COMMIT,
    // The phone goes on ringing for its owner.
    markOnlineOnConnect: false,
    // Nothing that was said before is of interest here, and waiting for it would delay the first connection by 20 s.
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    // Nobody listens for them.
    emitOwnEvents: false,
    getMessage: async ({ remoteJid, id }) => {
      const bytes = remoteJid && id ? await options.recall(remoteJid, id) : undefined;
      return bytes && proto.Message.decode(bytes);
    },
    cachedGroupMetadata: options.groupOf,
  });
  options.onClient(client);
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number | undefined>();
  client.ev.on('creds.update', () => options.onCredentials());
  client.ev.on('connection.update', ({ qr, connection, lastDisconnect, reachoutTimeLock }) => {
    if (qr !== undefined) options.onQr?.(qr);
    if (reachoutTimeLock) {
      const { isActive, timeEnforcementEnds } = reachoutTimeLock;
      options.onRestriction({ isActive: isActive ?? false, endsAt: timeEnforcementEnds });
    }
    if (connection === 'open') opened.resolve();
    if (connection === 'close') ended.resolve(codeOf(lastDisconnect?.error));
  });
  return {
    client,
    opened: opened.promise,
    ended: ended.promise,
    end: () => void client.end(undefined),
  };
}
