/** The SQL of webhook delivery: which webhook is due, its next messages, and its position in the log. */
import { execute, readColumn, readRow, readRows, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection } from '../../platform/database/statements.ts';
import { ownedBy, type Owners } from '../../platform/database/isolate-statement.ts';
import { IS_LEDGER_LIVE } from '../../platform/database/outbox.ts';
import type { UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { readEventsAfter, type WorkspaceEvent } from '../../workspaces/events/read-events.ts';
import type { Signature } from './sign.ts';

/** A claimed webhook. */
export interface Lane {
  webhookId: string;
  workspaceId: WorkspaceId;
  userId: UserId;
  url: string;
  events: string[];
  signature: Signature;
  /** Sealed: the present secret, and the one before while that is good. */
  secrets: Buffer[];
  position: number;
  /** The position of the last event that it wants. */
  newest: number;
  hasRetries: boolean;
  /** Its last answer took over 2 s. */
  isSlow: boolean;
  /** A fence: who has an older number has lost it. */
  claim: number;
}

/** A message for a lane; the position of a retry means nothing. */
export interface Message extends Pick<WorkspaceEvent, 'eventId' | 'messageId' | 'position'> {
  body: string;
  isRetry: boolean;
}

/** Longer than anybody has a lane in hand: after that its process is dead. */
const CLAIM_SECONDS = 60;

/** A webhook `w` that has something to be sent and is in nobody's hand. None while the ledger is held. */
export const IS_DUE: RawBuilder<boolean> = sql`
  w.disabled_at is null and (w.newest > w.position or w.has_retries) and w.next_try_at <= campanile_now()
  and (w.claimed_until is null or w.claimed_until <= campanile_now())
  and ${IS_LEDGER_LIVE}`;

/** How many endpoints one process serves at a time, in all and of one workspace. */
export interface LaneLimits {
  isSlow: boolean;
  permits: number;
  perWorkspace: number;
}

/** Due webhooks that are compared at once, those that have been due longest. */
const CANDIDATES = 200;

/**
 * Claims due webhooks, `room` at most. `busy` has the workspace of each webhook that is served here now. Workspaces take turns: one with
 * fewer of them goes first, and none gets more than its share.
 */
export async function claimLanes(
  db: Connection,
  { isSlow, perWorkspace }: Pick<LaneLimits, 'isSlow' | 'perWorkspace'>,
  { busy, room, owners }: { busy: readonly WorkspaceId[]; room: number; owners: Owners },
) {
  const served = sql`cardinality(array_positions(${[...busy]}::bigint[], w.workspace_id))`;
  return readRows<Lane>(db)`
    with due as materialized (
      select q.webhook_id
      from (
        select w.webhook_id, w.next_try_at, ${served} + row_number() over (partition by w.workspace_id order by w.next_try_at) as nth
        from (
          select * from webhooks w
          where ${IS_DUE} and w.is_slow = ${isSlow} and ${served} < ${perWorkspace} and ${ownedBy('w.workspace_id', owners)}
          order by w.next_try_at limit ${CANDIDATES}) w
      ) d
      join webhooks q using (webhook_id)
      where d.nth <= ${perWorkspace}
      order by d.nth, d.next_try_at limit ${room} for update of q skip locked
    )
    update webhooks w
    set claim = w.claim + 1, claimed_until = campanile_now() + ${CLAIM_SECONDS} * interval '1 second'
    from due
    -- Another process may have claimed it since it was found.
    where w.webhook_id = due.webhook_id and ${IS_DUE}
    returning w.webhook_id as "webhookId", w.workspace_id as "workspaceId", w.user_id as "userId", w.url, w.events, w.signature,
              w.position, w.newest, w.has_retries as "hasRetries", w.claim, w.is_slow as "isSlow",
              array_remove(array[w.secret, case when w.former_until > campanile_now() then w.former_secret end], null) as secrets`;
}

/** Returns the workspaces with due webhooks. */
export function findDueWorkspaces(db: Connection) {
  return readColumn<WorkspaceId>(db)`
    select distinct w.workspace_id as "workspaceId" from webhooks w where ${IS_DUE}`;
}

/** The most characters of a batch, since the endpoint may not answer; a single message may be longer. */
const BATCH_LENGTH = 256 * 1_024;

/** Returns the next messages in order: requested retries first, then new events. */
export async function readMessages(db: Connection, lane: Lane, limit: number): Promise<Message[]> {
  const again = lane.hasRetries ? await readRetries(db, lane.webhookId, limit) : [];
  if (again.length > 0) return toMessages(again, { isRetry: true });
  const fresh = await readEventsAfter(db, lane.workspaceId, lane.position, { filters: lane.events, limit });
  return toMessages(fresh, { isRetry: false });
}

function toMessages(events: readonly WorkspaceEvent[], { isRetry }: { isRetry: boolean }): Message[] {
  const messages: Message[] = [];
  let length = 0;
  for (const { eventId, messageId, position, type, at, data } of events) {
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
    length += body.length;
    if (messages.length > 0 && length > BATCH_LENGTH) break;
    messages.push({ eventId, messageId, position, body, isRetry });
  }
  return messages;
}

async function readRetries(db: Connection, webhookId: string, limit: number): Promise<WorkspaceEvent[]> {
  return readRows<WorkspaceEvent>(db)`
    select event_id as "eventId", coalesce(position, 0) as position, message_id as "messageId", type, at, data
    from webhook_retries join events using (event_id)
    where webhook_id = ${webhookId} order by event_id limit ${limit}`;
}

/** Locks a lane that is still this claim's; undefined when it is not. */
export async function lockLane(trx: Connection, { webhookId, claim }: Lane) {
  return readRow<{ failingSeconds: number | null }>(trx)`
    select extract(epoch from campanile_now() - failing_since)::float8 as "failingSeconds"
    from webhooks where webhook_id = ${webhookId} and claim = ${claim} for update`;
}

export interface LaneEnd {
  /** Events whose replay is finished. */
  doneRetries: readonly number[];
  /** Everything up to there has been told. */
  position: number;
  /** Whether its last answer took over 2 s. Undefined: there was none to measure. */
  isSlow: boolean | undefined;
  /** Undefined: nothing failed. */
  failed: { forSeconds: number; nextInSeconds: number } | { reason: 'gone' | 'failing' } | undefined;
}

/** Puts a lane, which must be locked, out of hand. */
export async function unlockLane(trx: Connection, { webhookId }: Lane, end: LaneEnd): Promise<void> {
  const { doneRetries, position, isSlow, failed } = end;
  if (doneRetries.length > 0)
    await execute(trx)`
      delete from webhook_retries where webhook_id = ${webhookId} and event_id = any(${doneRetries}::bigint[])`;
  const retry = failed && 'forSeconds' in failed ? failed : undefined;
  const reason = failed && 'reason' in failed ? failed.reason : null;
  await execute(trx)`
    update webhooks
    set claimed_until = null, is_slow = coalesce(${isSlow ?? null}::boolean, is_slow), position = greatest(position, ${position}::bigint),
        has_retries = exists (select from webhook_retries r where r.webhook_id = webhooks.webhook_id),
        failing_since = campanile_now() - ${retry?.forSeconds ?? null}::float8 * interval '1 second',
        next_try_at = campanile_now() + ${retry?.nextInSeconds ?? 0}::float8 * interval '1 second',
        disabled_reason = coalesce(${reason}, disabled_reason),
        disabled_at = case when ${reason}::text is null then disabled_at else campanile_now() end
    where webhook_id = ${webhookId}`;
}
