import type { Database } from '../../database/connect.ts';
import type { Log } from '../../lib/log.ts';
import { startLoop } from '../../lib/loop.ts';
import { createSlots } from '../../lib/slots.ts';
import type { Vault } from '../../lib/vault.ts';
import type { Messenger, MessengerAccount, TellState } from '../messenger.ts';
import { claimKeys, dropKeys, hasKeys, resealKeys } from './connect/key-table.ts';
import { forgetOldPosts } from './send/sent-posts.ts';
import { createMemberTeller } from './hear/tell-members.ts';
// Types only: the client is loaded when the first account needs it, and by a sandbox never.
import type { Uploads } from './files/keep-uploads.ts';
import type { SessionTiming } from './session.ts';

export interface WhatsAppOptions {
  /** A pool of its own: credentials are written while others wait for the ledger. */
  db: Database;
  log: Log;
  vault: Vault;
  /** Undefined: WhatsApp's own server. */
  url: string | undefined;
  /** Who signs the certificates of that server, 32 bytes. Undefined: WhatsApp. */
  rootKey: Buffer | undefined;
  /** PEM of who signs the certificates of its media hosts. Undefined: those that everybody trusts. */
  mediaCa?: string | undefined;
  timing?: Partial<WhatsAppTiming> | undefined;
  onLoopError?: (loop: string) => void;
  /** Told how many of the things that members did could not be recorded, nor kept. */
  onEventsLost?: (count: number) => void;
}

/** In milliseconds. */
interface WhatsAppTiming extends SessionTiming {
  /**
   * How long a first post to a large group waits for others before the account does something else. Shorter than a lease: who
   * may send was looked up before.
   */
  fanOutWaitMs: number;
  /** How long a post waits for its file, while that is uploaded. Shorter than a lease, too, and than an orderly stop. */
  fileWaitMs: number;
  /** How long after the media hosts were away they are tried again. */
  fileRetryMs: number;
}

const TIMING: WhatsAppTiming = {
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  answerMs: 20_000,
  restMs: 60_000,
  leaveMs: 8_000,
  steadyMs: 60_000,
  fanOutWaitMs: 5_000,
  fileWaitMs: 5_000,
  fileRetryMs: 10_000,
  firstLookMs: 30_000,
  longestLookMs: 60 * 60_000,
  lookGapMs: 15_000,
};
/** To log in costs a tenth of a second of work, and much more right after linking. */
const CONNECTING_AT_ONCE = 8;
const FANNING_OUT_AT_ONCE = 1;
/** A file is up to 16 MiB, and is in memory twice while it is encrypted and uploaded. */
const UPLOADING_AT_ONCE = 2;
const LONGEST_WAIT_MS = 10 * 60_000;
const UNLINK_LIMIT_MS = 15_000;
const CLEARING_MS = 60 * 60_000;
const CLEARING_STEP_MS = 1_000;

/** WhatsApp itself, through its protocol for linked devices. */
export function createWhatsApp(options: WhatsAppOptions): Messenger {
  const { db, log, vault, url, rootKey, mediaCa, timing, onLoopError } = options;
  const watched = { log, ...(onLoopError && { onError: onLoopError }) };
  const times = { ...TIMING, ...timing };
  const connecting = createSlots({
    name: 'connecting',
    size: CONNECTING_AT_ONCE,
    maxWaiting: Number.MAX_SAFE_INTEGER,
    maxWaitMs: LONGEST_WAIT_MS,
  });
  const fanOuts = createSlots({
    name: 'fan_out',
    size: FANNING_OUT_AT_ONCE,
    maxWaiting: 50,
    maxWaitMs: times.fanOutWaitMs,
  });
  const uploading = createSlots({
    name: 'upload',
    size: UPLOADING_AT_ONCE,
    maxWaiting: Number.MAX_SAFE_INTEGER,
    maxWaitMs: LONGEST_WAIT_MS,
  });
  let uploads: Uploads | undefined;
  const members = createMemberTeller({ log, onLost: options.onEventsLost, onLoopError });
  const clearing = startLoop('old posts', clearPosts, watched);
  const resealing = startLoop('credentials', resealAll, watched);

  async function clearPosts(): Promise<number> {
    return (await forgetOldPosts(db)) ? CLEARING_STEP_MS : CLEARING_MS;
  }

  /** After ENCRYPTION_KEY was changed; there is nothing to do at any other time. */
  async function resealAll(): Promise<number> {
    const resealed = await resealKeys(db, vault);
    if (resealed > 0) log.info({ resealed }, 'credentials were sealed with the new ENCRYPTION_KEY');
    return resealed > 0 ? 0 : CLEARING_MS;
  }

  async function prepare(account: MessengerAccount, tell: TellState) {
    const [{ prepareClient }, { keepUploads }, sessions, credentials] = await Promise.all([
      import('./connect/load-client.ts'),
      import('./files/keep-uploads.ts'),
      import('./session.ts'),
      import('./connect/credentials.ts'),
    ]);
    await prepareClient(log, rootKey);
    const table = await claimKeys(db, vault, account.accountId);
    uploads ??= keepUploads({
      db,
      log,
      ca: mediaCa,
      places: uploading,
      waitMs: times.fileWaitMs,
      retryMs: times.fileRetryMs,
    });
    const shared = {
      db,
      log,
      url,
      connecting,
      fanOuts,
      uploads,
      tellMembers: members.tell,
      onLoopError,
      timing: times,
    };
    const options = { ...shared, account, table, tell };
    return { ...sessions, ...credentials, table, options };
  }

  async function open(account: MessengerAccount, tell: TellState) {
    const { startSession, loadCredentials, table, options } = await prepare(account, tell);
    const credentials = await loadCredentials(table);
    if (credentials) return startSession(options, { credentials });
    tell({ status: 'unlinked', reason: 'Linking was interrupted: connect the account again' });
    return undefined;
  }

  return {
    name: 'whatsapp',
    staysOpen: true,
    open,
    async link(account, method, tell) {
      const { startSession, options } = await prepare(account, tell);
      const session = startSession(options, { method });
      try {
        await session.linking;
      } catch (error) {
        await session.close();
        throw error;
      }
      return session;
    },
    watchMembers: members.watch,
    async forget(accountId) {
      if (await hasKeys(db, accountId)) await unlinkForgotten(accountId);
      await dropKeys(db, accountId);
      return false;
    },
    async close() {
      await Promise.all([clearing.stop(), resealing.stop()]);
      await db.destroy();
    },
  };

  /** The user is gone, and with them the number that was signed up with: whoever is linked is taken as the one. */
  async function unlinkForgotten(accountId: number): Promise<void> {
    const connected = Promise.withResolvers<void>();
    const session = await open({ accountId, phoneNumber: undefined }, ({ status }) => {
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
}
