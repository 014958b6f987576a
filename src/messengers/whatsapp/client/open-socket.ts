import { makeWASocket, type UserFacingSocketConfig, type WAVersion } from 'baileys';
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
import { linkByPasskey, type PasskeyLink, type PasskeyListener } from './link-by-passkey.ts';
import { withTokensInMemory } from './privacy-tokens.ts';
import { quietLog } from './quiet-log.ts';
import { showQrCodes } from './show-qr-codes.ts';

export type ClientVersion = WAVersion;

/** One connection to WhatsApp, from its opening to its end. */
export interface Socket {
  client: Client;
  /** Undefined: the account is linked. */
  passkey: PasskeyLink | undefined;
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
  /** How long the answer to a query may take, in milliseconds. */
  queryMs: number;
  /** How long each QR code is shown, in milliseconds. Undefined: as long as WhatsApp accepts it. */
  qrMs: number | undefined;
  credentials: Credentials;
  log: Log;
  /** The credentials have changed. */
  onCredentials(): void;
  /** A QR code for a phone to scan. */
  onQr(qr: string, goodForMs: number): void;
  /** The last QR code has expired. */
  onLastQr(): void;
  /** How long a phone trusts the secret in the code that it has read, in milliseconds. */
  handoffMs: number;
  /** Undefined: the account is linked. */
  passkey: PasskeyListener | undefined;
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
    logger: quietLog(log),
    defaultQueryTimeoutMs: options.queryMs,
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
  const stopCodes = showQrCodes(socket, {
    log,
    qrMs: options.qrMs,
    show(qr, goodForMs) {
      clearTimeout(limit);
      options.onQr(qr, goodForMs);
    },
    onEnd: () => options.onLastQr(),
  });
  const passkey =
    options.passkey &&
    linkByPasskey({ socket, client, log, handoffMs: options.handoffMs, listener: options.passkey, stopCodes });
  socket.ev.on('creds.update', () => options.onCredentials());
  socket.ev.on('connection.update', ({ connection, lastDisconnect, reachoutTimeLock }) => {
    if (connection === 'open' || connection === 'close') clearTimeout(limit);
    if (reachoutTimeLock) {
      const { isActive, timeEnforcementEnds } = reachoutTimeLock;
      options.onRestriction({ isActive: isActive ?? false, endsAt: timeEnforcementEnds });
    }
    if (connection === 'open') opened.resolve();
    if (connection === 'close') ended.resolve(closeReasonOf(lastDisconnect?.error));
  });
  return {
    client,
    passkey,
    opened: opened.promise,
    ended: ended.promise,
    end: () => void socket.end(undefined),
  };
}
