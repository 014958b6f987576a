import { recordAudit } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { BlockedAddressError } from '../../platform/http-client/validate-url.ts';
import type { Egress, EgressAnswer } from '../../platform/http-client/safe-http-client.ts';
import { SWITCHED_OFF_EVENT } from '../../workspaces/events/event-types.ts';
import { writeEvent } from '../../workspaces/events/write-event.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';
import { lockLane, readMessages, unlockLane, type Lane, type LaneEnd, type Message } from './lane-store.ts';
import { signMessage } from './sign.ts';
import { insertAttempts, type AttemptRecord } from './attempt-store.ts';
import { aboutSecret } from './webhook-store.ts';

/** The results of an attempt: 2xx, another answer, or none. */
export const WEBHOOK_OUTCOMES = ['accepted', 'rejected', 'no_response'] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];
/** Why the service, not the owner, disabled a webhook. */
export type DisabledReason = 'gone' | 'failing';

export interface DeliveryDeps {
  db: Database;
  egress: Pick<Egress, 'post'>;
  vault: Vault;
  /** Aborts the delivery in flight, which is repeated later. */
  signal: AbortSignal;
  /** An answer that takes longer is slow; `SLOW_AFTER_MS` in `send-webhooks.ts`. */
  slowAfterMs: number;
  onAttempt?: (outcome: WebhookOutcome) => void;
}

/** One attempt to deliver a message. */
interface Attempt extends AttemptRecord {
  message: Message;
  retryAfterSeconds: number;
}

/** At least once: so much is delivered before it is recorded. What a crash keeps from being recorded is delivered again, with the same ids. */
const BATCH = 100;
/** After so long other webhooks have their turn. */
const BATCH_MS = 1_000;
/** A slow endpoint takes no second message within that time. */
const SLOW_BATCH = 1;
const GONE = 410;
const BY_ITSELF = 'the service itself';

/**
 * Delivers the next messages of a webhook in order until one attempt fails, and records the attempts. Returns the reason if this disabled
 * the endpoint.
 */
export async function deliverBatch(deps: DeliveryDeps, lane: Lane): Promise<DisabledReason | undefined> {
  const messages = await readMessages(deps.db, lane, lane.isSlow ? SLOW_BATCH : BATCH);
  const { attempts, isSlow } = await deliverInOrder(deps, lane, messages);
  return deps.db.transaction().execute(async (trx) => {
    const held = await lockLane(trx, lane);
    if (!held) return undefined;
    if (attempts.length > 0) await insertAttempts(trx, lane.webhookId, attempts);
    const end = endOf(lane, { attempts, isSlow, isEmpty: messages.length === 0, ...held });
    await unlockLane(trx, lane, end);
    if (!end.failed || !('reason' in end.failed)) return undefined;
    await notifyDisabled(trx, lane, end.failed.reason);
    return end.failed.reason;
  });
}

interface BatchResult {
  attempts: Attempt[];
  /** Whether the last answer, or the wait for it, took too long. Undefined: there was none to measure. */
  isSlow: boolean | undefined;
}

async function deliverInOrder(deps: DeliveryDeps, lane: Lane, messages: readonly Message[]): Promise<BatchResult> {
  const secrets = lane.secrets.map((sealed) => deps.vault.open(sealed, aboutSecret(lane.webhookId)));
  const begunAt = performance.now();
  const attempts: Attempt[] = [];
  let isSlow: boolean | undefined;
  for (const message of messages) {
    const attempt = await sendMessage(deps, { lane, secrets, message });
    const tookLong = attempt.milliseconds > deps.slowAfterMs;
    if (deps.signal.aborted && attempt.status === null) return { attempts, isSlow: tookLong || isSlow };
    isSlow = tookLong;
    attempts.push(attempt);
    deps.onAttempt?.(outcomeOf(attempt));
    if (!isSuccess(attempt) || performance.now() - begunAt > BATCH_MS) break;
  }
  return { attempts, isSlow };
}

async function sendMessage(
  { egress, signal }: DeliveryDeps,
  { lane, secrets, message }: { lane: Lane; secrets: readonly Buffer[]; message: Message },
): Promise<Attempt> {
  const at = new Date();
  const begunAt = performance.now();
  const { messageId, body } = message;
  const timestamp = Math.floor(at.getTime() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Campanile',
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage(lane.signature, secrets, { messageId, timestamp, body }),
  };
  let answer: EgressAnswer | undefined;
  let error: string | null = null;
  try {
    answer = await egress.post(lane.url, { headers, body, signal });
  } catch (thrown) {
    error = reasonOf(thrown);
  }
  return {
    message,
    eventId: message.eventId,
    at,
    milliseconds: Math.round(performance.now() - begunAt),
    status: answer?.status ?? null,
    answer: answer?.body ?? null,
    error,
    retryAfterSeconds: answer?.retryAfterSeconds ?? 0,
  };
}

function outcomeOf(tried: AttemptRecord): WebhookOutcome {
  if (isSuccess(tried)) return 'accepted';
  return tried.status === null ? 'no_response' : 'rejected';
}

function isSuccess({ status }: AttemptRecord): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The new state of a lane: its position, and when it is due again. */
function endOf(
  lane: Lane,
  { attempts, isSlow, isEmpty, failingSeconds }: BatchResult & { isEmpty: boolean; failingSeconds: number | null },
): LaneEnd {
  const delivered = attempts.filter((one) => isSuccess(one));
  const last = attempts.at(-1);
  return {
    doneRetries: delivered.filter(({ message }) => message.isRetry).map(({ eventId }) => eventId),
    // Where nothing was found there is nothing that it wants any more.
    position: isEmpty
      ? lane.newest
      : delivered
          .filter(({ message }) => !message.isRetry)
          .reduce((top, { message }) => Math.max(top, message.position), lane.position),
    isSlow,
    failed: last && !isSuccess(last) ? planRetry(last, delivered.length > 0 ? 0 : (failingSeconds ?? 0)) : undefined,
  };
}

function planRetry({ status, retryAfterSeconds }: Attempt, forSeconds: number): NonNullable<LaneEnd['failed']> {
  if (status === GONE) return { reason: 'gone' };
  const nextInSeconds = nextAttemptIn(forSeconds, retryAfterSeconds);
  return nextInSeconds === undefined ? { reason: 'failing' } : { forSeconds, nextInSeconds };
}

/** Writes the owner's event about the disabled webhook. */
async function notifyDisabled(trx: Connection, lane: Lane, reason: string): Promise<void> {
  const { webhookId, workspaceId, userId, url } = lane;
  await writeEvent(trx, { workspaceId, type: SWITCHED_OFF_EVENT, data: { webhook_id: webhookId, url, reason } });
  await recordAudit(trx, { workspaceId, userId, address: BY_ITSELF, action: 'webhook.switched_off', subject: url });
}

/** Why there was no answer, for the endpoint's owner, without names of our own machines. */
function reasonOf(error: unknown): string {
  if (error instanceof BlockedAddressError) return `the address ${error.message}`;
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer within 15 s';
  return 'code' in error ? String(error.code) : error.name;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Exponential backoff: seconds after the first attempt, which is made at once. */
const ATTEMPTS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Up to a tenth later, so that not everybody comes back to a receiver at the same moment. */
const JITTER = 0.1;
const LONGEST_WAIT = 24 * HOUR;

/**
 * Exponential backoff: returns the seconds until the next attempt after `failingSeconds` of failures, and no less than the endpoint's
 * `Retry-After`. Undefined: the webhook has failed for a day, and is given up.
 */
export function nextAttemptIn(failingSeconds: number, retryAfterSeconds: number, random: () => number = Math.random) {
  const next = ATTEMPTS.find((seconds) => seconds > failingSeconds);
  if (next === undefined) return undefined;
  return Math.max(next * (1 + JITTER * random()) - failingSeconds, Math.min(retryAfterSeconds, LONGEST_WAIT));
}
