import { sql } from 'kysely';
import type { Owners } from '../../platform/database/isolate-statement.ts';
import { claimRowsOf, hasDueRows, isolateDueRows, claimDueRows } from '../../platform/database/outbox.ts';
import { servePolled, startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { BlockedAddressError } from '../../platform/http-client/validate-url.ts';
import type { Egress } from '../../platform/http-client/safe-http-client.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import { hasNewNotices, makeNotices } from './make-notices.ts';
import type { NoticeData } from './notice-store.ts';
import { openPrivateKey, type PushKeys } from './push-keys.ts';
import {
  forgetBrowser,
  NOTICE_MAILS,
  PUSHES,
  recordFailed,
  settleTurns,
  type PushTurn,
  type Turn,
} from './push-queue-store.ts';
import { formatNotice, pageOf, type Reader } from './format-notice.ts';
import { execute, type Connection, type Database } from '../../platform/database/statements.ts';

const POLL_MS = 1_000;
const MAILS_TOGETHER = 100;
/** Browsers that one process begins to tell at a time; of each person one. */
const PERMITS = 32;
/** How long a push service keeps a message for a browser that is offline (RFC 8030, TTL). */
const PUSH_TTL_SECONDS = 24 * 60 * 60;
/** A push service cannot have us wait for longer. */
const LONGEST_WAIT_SECONDS = 60 * 60;
const GONE = new Set([404, 410]);

export interface DeliverNoticesOptions extends PolledLoopDeps {
  db: Database;
  egress: Pick<Egress, 'post'>;
  vault: Vault;
  keys: PushKeys;
  /** The operator's contact for push services: an https:// URL or a mailto: address. */
  contact: string;
  hasMail: boolean;
  /** The installation's time zone, for people without one. */
  timeZone: string;
}

/**
 * Creates notices from events, and delivers them by push and e-mail to users who want that, until stopped. Any number of processes may run
 * it at once. A delivery whose record a crash prevents is repeated.
 */
export function deliverNotices(options: DeliverNoticesOptions): { stop(): Promise<void> } {
  const { db, log, hasMail, timeZone } = options;
  const stopping = new AbortController();

  const hasNotices = () =>
    hasMail ? sql<boolean>`(${hasNewNotices()} or ${hasDueRows(NOTICE_MAILS)})` : hasNewNotices();
  const notices = startPolledLoop(options, {
    name: 'notices',
    isDue: hasNotices,
    pollMs: POLL_MS,
    async step(restMs) {
      const hasMore = await makeNotices({ db, log }, { hasMail });
      // In one transaction, so that none is mailed twice.
      if (hasMail)
        await isolateDueRows({ db, log }, NOTICE_MAILS, (owners) =>
          db.transaction().execute((trx) => mailNoticesOf(trx, owners, timeZone)),
        );
      return hasMore ? 0 : restMs;
    },
  });

  const pushes = servePolled<PushTurn, UserId>(options, {
    name: 'pushes',
    isDue: () => hasDueRows(PUSHES),
    permits: PERMITS,
    pollMs: POLL_MS,
    // The browser that has been due longest.
    claim: (busy) => claimDueRows<PushTurn>({ db, log }, PUSHES, { limit: 1, busy }),
    keyOf: ({ userId }) => userId,
    // A turn whose result could not be written is due again in a minute.
    serve: (turn) => push(options, turn, stopping.signal),
  });

  return {
    async stop() {
      stopping.abort();
      await Promise.all([notices.stop(), pushes.stop()]);
    },
  };
}

async function mailNoticesOf(trx: Connection, owners: Owners, timeZone: string): Promise<void> {
  const turns = await claimRowsOf<Turn>(trx, NOTICE_MAILS, { limit: MAILS_TOGETHER, busy: [], owners });
  for (const { userId, kind, count, data, workspaceId, ...reader } of turns) {
    if (!data) continue;
    const text = formatNotice(kind, count, data, readerOf(reader, timeZone));
    const detail = `${text}\n${pageOf(kind, count, data, workspaceId)}`;
    await queueMail(trx, { kind: 'notice', userId, detail });
  }
  if (turns.length > 0) await settleTurns(trx, turns);
}

async function push(options: DeliverNoticesOptions, turn: PushTurn, signal: AbortSignal): Promise<void> {
  const { db, log } = options;
  const { data } = turn;
  if (!data) return settleTurns(db, [turn]);
  const answer = await sendPush(options, { ...turn, data }, signal);
  if (answer.status !== undefined && answer.status >= 200 && answer.status < 300) {
    await settleTurns(db, [turn]);
    await execute(db)`
      update push_subscriptions set failing_since = null
      where subscription_id = ${turn.subscriptionId} and failing_since is not null`;
    return undefined;
  }
  if (signal.aborted) return undefined;
  const { userId, subscriptionId } = turn;
  log.info({ userId, subscriptionId, ...answer }, 'a browser could not be told');
  if (answer.status !== undefined && GONE.has(answer.status)) return forgetBrowser(db, subscriptionId);
  return recordFailed(db, turn, Math.min(answer.retryAfterSeconds ?? 0, LONGEST_WAIT_SECONDS));
}

async function sendPush(
  { egress, vault, keys, contact, timeZone }: DeliverNoticesOptions,
  { endpoint, p256dh, auth, kind, count, data, workspaceId, ...reader }: PushTurn & { data: NoticeData },
  signal: AbortSignal,
): Promise<{ status?: number; retryAfterSeconds?: number; reason?: string }> {
  const text = formatNotice(kind, count, data, readerOf(reader, timeZone));
  const payload = { kind, text, page: pageOf(kind, count, data, workspaceId) };
  const { default: webPush } = await import('web-push');
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(payload),
    {
      vapidDetails: { subject: contact, publicKey: keys.publicKey, privateKey: openPrivateKey(vault, keys) },
      TTL: PUSH_TTL_SECONDS,
      // What a browser has not fetched yet gives way to what is newer of its kind.
      topic: kind,
    },
  );
  try {
    const { status, retryAfterSeconds } = await egress.post(endpoint, {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
      body: body ?? '',
      signal,
    });
    return { status, retryAfterSeconds };
  } catch (error) {
    return {
      reason: error instanceof BlockedAddressError ? error.message : error instanceof Error ? error.name : 'unknown',
    };
  }
}

function readerOf({ language, timeZone }: Pick<Turn, 'language' | 'timeZone'>, fallbackZone: string): Reader {
  return { language, timeZone: knownTimeZone(timeZone, fallbackZone) };
}
