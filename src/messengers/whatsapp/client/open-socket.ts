import { DEFAULT_CONNECTION_CONFIG, makeWASocket, type UserFacingSocketConfig, type WAVersion } from 'baileys';
import type { Agent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Dispatcher } from 'undici';
import type { Log } from '../../../platform/log/log.ts';
import type { Client, LidMapping } from './client.ts';
import { createClient } from './create-client.ts';
import type { Credentials } from './credentials.ts';
import { drainOfflineQueue } from './drain-offline-queue.ts';
import { closeReasonOf, type CloseReason } from './errors.ts';
import { acceptsHistorySync, dropHistory } from './history-sync.ts';
import { withMappingListener } from './lid-mappings.ts';
import { withTokensInMemory } from './privacy-tokens.ts';
import { quietLog } from './quiet-log.ts';
import { renewCodes } from './renew-codes.ts';

export type ClientVersion = WAVersion;

/** The version of WhatsApp's client that this release of the library claims to be. */
export const BUNDLED_VERSION: ClientVersion = DEFAULT_CONNECTION_CONFIG.version;

/** One connection to WhatsApp, from its opening to its end. */
export interface Socket {
  client: Client;
  /** Resolves when it is logged in; never when it ends before. */
  opened: Promise<void>;
  /** Resolves when it has ended; never rejects. */
  ended: Promise<CloseReason>;
  end(): void;
}

export interface SocketOptions {
  /** Undefined: WhatsApp's own. */
  url: string | undefined;
  /** Undefined: WhatsApp is reached directly. */
  proxy: { agent: Agent; dispatcher: Dispatcher } | undefined;
  version: ClientVersion;
  /** After so many milliseconds without a login, a code to show, or an end, the connection is ended. */
  outcomeMs: number;
  /** How long each QR code is shown, in milliseconds. Undefined: as long as WhatsApp accepts it. */
  qrMs: number | undefined;
  credentials: Credentials;
  log: Log;
  /** The credentials have changed. */
  onCredentials(): void;
  /** A QR code for a phone to scan. */
  onQr?(qr: string): void;
  /** WhatsApp asks for the passkey of the phone that is being linked. */
  onPasskey?(): void;
  /** WhatsApp restricts the account, or lifts a restriction. */
  onRestriction(restriction: Restriction): void;
  /** Awaited before new pairs are stored. */
  onLidMappings(pairs: LidMapping[]): Promise<void>;
  /** Backpressure: WhatsApp's queue is not drained while it resolves to false. */
  canRecord(): Promise<boolean>;
  /** Called before anything arrives from WhatsApp. */
  onClient(client: Client): void;
}

export interface Restriction {
  isActive: boolean;
  /** Undefined: WhatsApp did not say. */
  endsAt: Date | undefined;
}

/** After so many failed attempts, this many milliseconds apart, the library gives up storing keys. */
const COMMIT = { maxCommitRetries: 10, delayBetweenTriesMs: 500 };

type ProxySettings = Pick<UserFacingSocketConfig, 'agent' | 'options'>;

/** The library declares narrower types than it needs. */
function toLibrary({ agent, dispatcher }: NonNullable<SocketOptions['proxy']>): ProxySettings {
  return {
    agent: agent as HttpsAgent,
    options: { dispatcher } as unknown as ProxySettings['options'],
  } as ProxySettings;
}

/** Opens a connection: logs in if the credentials are linked, otherwise shows codes that link them. It ends or has an outcome in time. */
export function openSocket(options: SocketOptions): Socket {
  const { credentials, log } = options;
  const { auth, privacyTokens } = credentials;
  const { creds, keys } = auth;
  const socket = makeWASocket({
    ...(options.url !== undefined && { waWebSocketUrl: options.url }),
    version: options.version,
    ...(options.proxy && toLibrary(options.proxy)),
    auth: { creds, keys: withTokensInMemory(withMappingListener(keys, options.onLidMappings), privacyTokens) },
    ...(options.qrMs !== undefined && { qrTimeout: options.qrMs }),
    logger: quietLog(log),
    transactionOpts: COMMIT,
    // Otherwise the owner's phone shows no notifications.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: acceptsHistorySync,
    emitOwnEvents: false,
  });
  dropHistory(socket);
  drainOfflineQueue(socket, options);
  const client = createClient(socket, privacyTokens);
  options.onClient(client);
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<CloseReason>();
  // A plain error: a status code in it would be read as WhatsApp's.
  const giveUp = (why: string) => void socket.end(new Error(why));
  const limit = setTimeout(giveUp, options.outcomeMs, 'WhatsApp did not answer in time');
  // The library has a listener that does nothing, and thereby keeps the connection open.
  socket.ws.on('unexpected-response', () => giveUp('WhatsApp refused to begin a connection'));
  const showQr = renewCodes(socket, log, (qr) => options.onQr?.(qr));
  // The library only acknowledges it.
  client.onStanza({ tag: 'notification', type: 'passkey_prologue_request' }, () => options.onPasskey?.());
  socket.ev.on('creds.update', () => options.onCredentials());
  socket.ev.on('connection.update', ({ qr, connection, lastDisconnect, reachoutTimeLock }) => {
    if (qr !== undefined || connection === 'open' || connection === 'close') clearTimeout(limit);
    if (qr !== undefined) showQr(qr);
    if (reachoutTimeLock) {
      const { isActive, timeEnforcementEnds } = reachoutTimeLock;
      options.onRestriction({ isActive: isActive ?? false, endsAt: timeEnforcementEnds });
    }
    if (connection === 'open') opened.resolve();
    if (connection === 'close') ended.resolve(closeReasonOf(lastDisconnect?.error));
  });
  return {
    client,
    opened: opened.promise,
    ended: ended.promise,
    end: () => void socket.end(undefined),
  };
}
