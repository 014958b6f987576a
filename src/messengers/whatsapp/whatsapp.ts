import { STATE_REASONS } from '../../platform/errors/account-states.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import { createFairSemaphore, type FairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';
import type { LinkMethod, LinkedAccount, Messenger, OnStateChange } from '../messenger.ts';
import { createGroupCache, type GroupCache } from './chats/group-cache.ts';
import type { ClientOptions, LoadedClient } from './connect/load-client.ts';
import { chooseProxy, proxyLabel } from './connect/proxies.ts';
import { claimKeys, dropEndedKeys, dropKeys, hasKeys, resealKeys } from './connect/key-table.ts';
import { openMessageSecretKeys } from './connect/message-secret-keys.ts';
import { deleteOldMessages } from './send/sent-messages.ts';
import { createMemberEventEmitter, type MemberEventEmitter } from './inbound/member-event-emitter.ts';
// Types only: the client is loaded when the first account needs it, and by a sandbox never.
import type { ChannelQueryIds } from './chats/channels.ts';
import type { UploadCache } from './files/upload-cache.ts';
import type { SessionOptions, SessionTiming } from './session.ts';
import { WHATSAPP } from './capabilities.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface WhatsAppOptions extends ClientOptions {
  /** A pool of its own: credentials are written while others wait for the ledger. */
  db: Database;
  vault: Vault;
  /** PEM of the certificate authority of its media hosts. Undefined: the public ones. */
  mediaCa?: string | undefined;
  /** URLs of proxies, one for each account. Default is none. */
  proxies?: readonly string[] | undefined;
  /** Overrides the ids of queries about channels. */
  queryIds?: Partial<ChannelQueryIds> | undefined;
  timing?: Partial<WhatsAppTiming> | undefined;
  onLoopError?: OnLoopError;
  /** Called with the number of member events that were dropped. */
  onEventsLost?: (count: number) => void;
}

/** In milliseconds. */
interface WhatsAppTiming extends SessionTiming {
  /** How long a first post to a large group waits for a permit. Shorter than a lease, which is checked before. */
  fanOutWaitMs: number;
  /** How long a post waits for the upload of its file. Shorter than a lease, and than an orderly stop. */
  fileWaitMs: number;
  /** The first pause after the media hosts were unreachable. */
  fileRetryMs: number;
}

const TIMING: WhatsAppTiming = {
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  answerMs: 20_000,
  lateAckMs: 60_000,
  channelAnswerMs: 5_000,
  answerGapMs: 200,
  cooldownMs: 60_000,
  restAfterLinkMs: 30 * 60_000,
  leaveMs: 8_000,
  permitMs: 10_000,
  outcomeMs: 60_000,
  queryMs: 60_000,
  leaveOutMs: 24 * 60 * 60_000,
  keyMinAgeMs: 24 * 60 * 60_000,
  keyMaxAgeMs: 30 * 24 * 60 * 60_000,
  steadyMs: 60_000,
  // As WhatsApp Web has them.
  passkeyMs: 600_000,
  handoffMs: 300_000,
  phoneMs: 180_000,
  fanOutWaitMs: 5_000,
  fileWaitMs: 5_000,
  fileRetryMs: 10_000,
  firstPollMs: 30_000,
  longestPollMs: 60 * 60_000,
  pollGapMs: 15_000,
};
/** A login costs a tenth of a second of CPU, and much more right after linking. */
const CONNECTING_AT_ONCE = 8;
const FANNING_OUT_AT_ONCE = 1;
/** A picture has up to 16 MiB and is in memory during its upload. One upload for an account, whose host may be slow. */
const UPLOADING_AT_ONCE = 2;
const LONGEST_WAIT_MS = 10 * 60_000;
const UNLINK_LIMIT_MS = 15_000;
const CLEARING_MS = 60 * 60_000;
const CLEARING_STEP_MS = 1_000;

/** Shared by the sessions of a process. */
interface Shared extends WhatsAppOptions {
  times: WhatsAppTiming;
  /** Permits for connections that are being made. */
  connecting: FairSemaphore;
  /** Permits for first posts to large groups. */
  fanOuts: FairSemaphore;
  /** Permits for uploads. */
  uploading: FairSemaphore;
  /** Undefined until the first session needs it. */
  uploads: UploadCache | undefined;
  groups: GroupCache;
  /** Undefined until the first session needs it. */
  client: LoadedClient | undefined;
  members: MemberEventEmitter;
}

/** WhatsApp, over its protocol for linked devices. */
export function createWhatsApp(options: WhatsAppOptions): Messenger {
  const { db, log, vault, onLoopError, onEventsLost } = options;
  const times = { ...TIMING, ...options.timing };
  const shared: Shared = {
    ...options,
    times,
    connecting: endlessQueue('connecting', CONNECTING_AT_ONCE),
    fanOuts: createFairSemaphore({
      name: 'fan_out',
      size: FANNING_OUT_AT_ONCE,
      maxWaiting: 50,
      maxWaitMs: times.fanOutWaitMs,
    }),
    uploading: endlessQueue('upload', UPLOADING_AT_ONCE, 1),
    uploads: undefined,
    groups: createGroupCache(),
    client: undefined,
    members: createMemberEventEmitter({ log, onLost: onEventsLost, onLoopError }),
  };
  const watched = { log, onLoopError };
  const clearing = startLoop('old posts', () => clearPosts(db, log), watched);
  const resealing = startLoop('credentials', () => resealAll(db, vault, log), watched);
  return {
    ...WHATSAPP,
    open: (account, onStateChange) => open(shared, account, onStateChange),
    link: (account, method, onStateChange) => link(shared, account, method, onStateChange),
    async discardLink(accountId) {
      await (await claimKeys(db, vault, accountId)).clear();
    },
    watchMembers: shared.members.watch,
    async forget(accountId) {
      if (await hasKeys(db, accountId)) await unlinkForgotten(shared, accountId);
      await dropKeys(db, accountId);
      return false;
    },
    async close() {
      await Promise.all([clearing.stop(), resealing.stop()]);
      await db.destroy();
    },
  };
}

function endlessQueue(name: string, size: number, perKey = size): FairSemaphore {
  return createFairSemaphore({ name, size, perKey, maxWaiting: Number.MAX_SAFE_INTEGER, maxWaitMs: LONGEST_WAIT_MS });
}

async function clearPosts(db: Database, log: Log): Promise<number> {
  await dropEndedKeys({ db, log });
  return (await deleteOldMessages(db, log)) ? CLEARING_STEP_MS : CLEARING_MS;
}

/** Key rotation: after ENCRYPTION_KEY was changed. */
async function resealAll(db: Database, vault: Vault, log: Log): Promise<number> {
  const resealed = await resealKeys({ db, log }, vault);
  if (resealed > 0) log.info({ resealed }, 'credentials were sealed with the new ENCRYPTION_KEY');
  return resealed > 0 ? 0 : CLEARING_MS;
}

async function open(shared: Shared, account: LinkedAccount, onStateChange: OnStateChange) {
  const { startSession, options } = await prepare(shared, account, onStateChange);
  const credentials = await options.engine.loadCredentials(options.table);
  const endedLeftMs = await options.table.endedLeftMs();
  if (credentials && (endedLeftMs === undefined || account.isRetry)) return startSession(options, { credentials });
  if (credentials) onStateChange({ status: 'logged_out', reason: STATE_REASONS.link_over, retryForMs: endedLeftMs });
  else
    onStateChange({
      status: 'unlinked',
      reason: STATE_REASONS.link_interrupted,
      isDiscarded: true,
    });
  return undefined;
}

async function link(shared: Shared, account: LinkedAccount, method: LinkMethod, onStateChange: OnStateChange) {
  const { startSession, options } = await prepare(shared, account, onStateChange);
  const session = startSession(options, { method });
  try {
    await session.linking;
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}

/** Loads the client, and claims the account's credentials for this worker. */
async function prepare(shared: Shared, account: LinkedAccount, onStateChange: OnStateChange) {
  const { db, log, vault, times } = shared;
  const [{ loadClient }, { createUploadCache }, { startSession }] = await Promise.all([
    import('./connect/load-client.ts'),
    import('./files/upload-cache.ts'),
    import('./session.ts'),
  ]);
  const { engine, versions } = (shared.client ??= loadClient(shared));
  const table = await claimKeys(db, vault, account.accountId);
  const secretKeys = await openMessageSecretKeys(db, vault, account.workspaceId);
  const uploads = (shared.uploads ??= createUploadCache({
    db,
    log,
    ca: shared.mediaCa,
    permits: shared.uploading,
    waitMs: times.fileWaitMs,
    retryMs: times.fileRetryMs,
  }));
  const options: SessionOptions = {
    ...shared,
    uploads,
    engine,
    versions,
    timing: times,
    queryIds: shared.queryIds ?? {},
    proxy: await chooseAndOpen(shared, account.accountId),
    account,
    table,
    secretKeys,
    onStateChange,
    emitMemberEvents: shared.members.emit,
    onDevicesMissed: () => shared.onAlarm?.('devices_missed'),
    onForgery: () => shared.onAlarm?.('account_signature'),
    onCondition: (condition) => shared.onCondition?.(condition),
  };
  return { startSession, options };
}

async function chooseAndOpen({ db, log, proxies = [] }: Shared, accountId: AccountId) {
  const url = await chooseProxy(db, accountId, proxies);
  if (url === undefined) return undefined;
  log.debug({ accountId, proxy: proxyLabel(url) }, 'an account reaches WhatsApp by a proxy');
  const { openProxy } = await import('./connect/open-proxy.ts');
  return openProxy(url);
}

/** Unlinks the account of a deleted user. Its number is gone, so that any linked number is accepted. */
async function unlinkForgotten(shared: Shared, accountId: AccountId): Promise<void> {
  const connected = Promise.withResolvers<void>();
  const forgotten = { accountId, workspaceId: undefined, phoneNumber: undefined };
  const session = await open(shared, forgotten, ({ status }) => {
    if (status === 'connected' || status === 'logged_out' || status === 'unlinked') connected.resolve();
  });
  if (!session) return;
  const tooLong = setTimeout(() => connected.reject(new Error('WhatsApp cannot be reached')), UNLINK_LIMIT_MS);
  try {
    await connected.promise;
    if (!(await session.unlink())) throw new Error('WhatsApp cannot be reached');
  } finally {
    clearTimeout(tooLong);
    await session.close();
  }
}
