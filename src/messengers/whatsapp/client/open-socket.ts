import type { Agent as HttpsAgent } from 'node:https';
import { DEFAULT_CONNECTION_CONFIG, makeWASocket, proto, type UserFacingSocketConfig, type WASocket } from 'baileys';
import { createClient } from './create-client.ts';
import type { LibraryCredentials } from './credentials.ts';
import { drainOfflineQueue } from './drain-offline-queue.ts';
import type { Socket, SocketOptions } from './engine.ts';
import { closeReasonOf, type CloseReason } from './errors.ts';
import { withMappingListener } from './lid-mappings.ts';
import { linkByPasskey } from './link-by-passkey.ts';
import { withHiddenContacts } from './privacy-tokens.ts';
import { quietLog } from './quiet-log.ts';
import { keepSignedPreKeyFresh, withFormerKeys } from './signed-pre-keys.ts';
import { showQrCodes } from './show-qr-codes.ts';

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

export function openSocket(library: LibraryCredentials, options: SocketOptions): Socket {
  const { log } = options;
  const { creds, keys } = library.auth;
  const socket = makeWASocket({
    ...(options.url !== undefined && { waWebSocketUrl: options.url }),
    version: options.version,
    ...(options.proxy && toLibrary(options.proxy)),
    auth: { creds, keys: withHiddenContacts(withMappingListener(keys, options.onLidMappings), creds.noiseKey.private) },
    makeSignalRepository: withFormerKeys(DEFAULT_CONNECTION_CONFIG.makeSignalRepository, library.store),
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
  const client = createClient(socket, options.onUnanswered);
  options.onClient(client);
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<CloseReason>();
  const closing = new AbortController();
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
    if (connection === 'open') {
      opened.resolve();
      void keepSignedPreKeyFresh({ client, library, now: options.now, log }, closing.signal);
    }
    if (connection === 'close') {
      closing.abort();
      ended.resolve(closeReasonOf(lastDisconnect?.error));
    }
  });
  return {
    client,
    passkey,
    opened: opened.promise,
    ended: ended.promise,
    end: () => void socket.end(undefined),
  };
}

/*
 * History sync: a phone sends its earlier conversations to a device right after it was linked. The library stores the pairs of LIDs and
 * phone numbers in them, which it needs to decrypt messages in some groups, and privacy tokens. Nothing else is stored.
 */

/** Compressed. A part is decompressed in memory, to some 30 times its size: 12,000 messages. */
const LARGEST_PART = 1024 * 1024;

/** Rejects the full history, statuses, and parts that are too large. */
function acceptsHistorySync(part: proto.Message.IHistorySyncNotification): boolean {
  const { syncType, fileLength, initialHistBootstrapInlinePayload: inline } = part;
  const { FULL, INITIAL_STATUS_V3 } = proto.Message.HistorySyncType;
  const size = Math.max(Number(fileLength ?? 0), inline?.length ?? 0);
  return syncType !== FULL && syncType !== INITIAL_STATUS_V3 && size <= LARGEST_PART;
}

/** The library has stored the pairs when it emits a part. Without a listener, the event buffer would keep the part in memory. */
function dropHistory({ ev }: Pick<WASocket, 'ev'>): void {
  const { emit } = ev;
  ev.emit = (event, data) => event === 'messaging-history.set' || emit(event, data);
}
