import { makeWASocket, type GroupMetadata, type WASocket, type WAVersion } from 'baileys';
import type { ILogger } from 'baileys/lib/Utils/logger.js';
import { lastWordOf, type LastWord } from '../failures.ts';
import type { Credentials } from './credentials.ts';
import { renewCodes } from './renew-codes.ts';
import { forgetHistory, acceptsHistorySync, withoutTokens } from './history-sync.ts';

/** One connection to WhatsApp, from its opening to its end. */
export interface Socket {
  client: WASocket;
  /** Resolves when it is logged in; never when it ends before. */
  opened: Promise<void>;
  /** Resolves when it has ended, with why; never rejects. */
  ended: Promise<LastWord>;
  end(): void;
}

export interface SocketOptions {
  /** Undefined: WhatsApp's own. */
  url: string | undefined;
  /** The client that it says it is. */
  version: WAVersion;
  /** How long it may take until it is logged in, has a code to show, or has ended, in milliseconds: then it is ended. */
  outcomeMs: number;
  /** How long each code to scan is shown, in milliseconds. Undefined: as long as WhatsApp takes it. */
  qrMs: number | undefined;
  credentials: Credentials;
  log: ILogger;
  /** What is known of a group; undefined: the client asks. */
  groupOf(chatId: string): Promise<GroupMetadata | undefined>;
  /** The credentials have changed. */
  onCredentials(): void;
  /** A code for a phone to scan. */
  onQr?(qr: string): void;
  /** WhatsApp asks for the passkey of the phone that is being linked. */
  onPasskey?(): void;
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

/** Opens a connection: to log in when the credentials are linked, else to show codes that link them. It always ends, or has an outcome. */
export function openSocket(options: SocketOptions): Socket {
  const { credentials } = options;
  const client = makeWASocket({
    ...(options.url !== undefined && { waWebSocketUrl: options.url }),
    version: options.version,
    auth: { creds: credentials.creds, keys: withoutTokens(credentials.keys) },
    ...(options.qrMs !== undefined && { qrTimeout: options.qrMs }),
    logger: options.log,
    transactionOpts: COMMIT,
    // The phone goes on ringing for its owner.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: acceptsHistorySync,
    // Nobody listens for them.
    emitOwnEvents: false,
    cachedGroupMetadata: options.groupOf,
  });
  forgetHistory(client);
  options.onClient(client);
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<LastWord>();
  // A plain error: a status in it would count as WhatsApp's word on the account.
  const giveUp = (why: string) => void client.end(new Error(why));
  const limit = setTimeout(giveUp, options.outcomeMs, 'WhatsApp did not answer in time');
  // The client listens for it, does nothing, and thereby keeps the connection from being given up.
  client.ws.on('unexpected-response', () => giveUp('WhatsApp refused to begin a connection'));
  const showQr = renewCodes(client, options.log, (qr) => options.onQr?.(qr));
  // The client acknowledges it and does no more.
  client.ws.on('CB:notification,type:passkey_prologue_request', () => options.onPasskey?.());
  client.ev.on('creds.update', () => options.onCredentials());
  client.ev.on('connection.update', ({ qr, connection, lastDisconnect, reachoutTimeLock }) => {
    if (qr !== undefined || connection === 'open' || connection === 'close') clearTimeout(limit);
    if (qr !== undefined) showQr(qr);
    if (reachoutTimeLock) {
      const { isActive, timeEnforcementEnds } = reachoutTimeLock;
      options.onRestriction({ isActive: isActive ?? false, endsAt: timeEnforcementEnds });
    }
    if (connection === 'open') opened.resolve();
    if (connection === 'close') ended.resolve(lastWordOf(lastDisconnect?.error));
  });
  return {
    client,
    opened: opened.promise,
    ended: ended.promise,
    end: () => void client.end(undefined),
  };
}
