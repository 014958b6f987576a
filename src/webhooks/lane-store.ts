/** The SQL of telling: which webhook is due, what it is told next, and how far it has come. */
import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';
import { ownedBy, type Owners } from '../database/isolate-statement.ts';
import type { UserId, WorkspaceId } from '../database/schema.ts';
import { readEventsAfter, type WorkspaceEvent } from '../events/read-events.ts';
import type { Signature } from './sign.ts';

/** A webhook in somebody's hand. */
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
  /** Of the last event that it wants. */
  newest: number;
  hasRetries: boolean;
  /** A fence: who has an older number has lost it. */
  claim: number;
}

/** What a lane is told; of a retry the position means nothing. */
export interface Message extends WorkspaceEvent {
  isRetry: boolean;
}

/** Longer than anybody has a lane in hand: after that its process is dead. */
const CLAIM_SECONDS = 60;

/** Takes webhooks that are due and in nobody's hand, those that are due longest first. None while the ledger is held, and none of a workspace that has moved. */
export async function claimLanes(
  db: Connection,
  limit: number,
  owners: Owners = { skipped: [], wanted: null },
): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    update webhooks w
    set claim = w.claim + 1, claimed_until = campanile_now() + ${CLAIM_SECONDS} * interval '1 second'
    from (
      select webhook_id from webhooks
      where disabled_at is null and (newest > position or has_retries) and next_try_at <= campanile_now()
        and ${ownedBy('workspace_id', owners)}
        and (claimed_until is null or claimed_until <= campanile_now())
        and not exists (select from ledger where held_since is not null)
        and not exists (select from workspaces m where m.workspace_id = webhooks.workspace_id and m.moved_to is not null)
      order by next_try_at limit ${limit} for update skip locked
    ) due
    where w.webhook_id = due.webhook_id
    returning w.webhook_id as "webhookId", w.workspace_id as "workspaceId", w.user_id as "userId", w.url, w.events, w.signature,
              w.position, w.newest, w.has_retries as "hasRetries", w.claim,
              array_remove(array[w.secret, case when w.former_until > campanile_now() then w.former_secret end], null) as secrets`.execute(
    db,
  );
  return rows;
}

/** Workspaces with a webhook that is due. */
export async function findDueOwners(db: Connection): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct workspace_id as id from webhooks
    where disabled_at is null and (newest > position or has_retries) and next_try_at <= campanile_now()
      and (claimed_until is null or claimed_until <= campanile_now())`.execute(db);
  return rows.map(({ id }) => id);
}

/** What comes next, in order: what somebody asked to be told once more, then what is new. */
export async function readMessages(db: Connection, lane: Lane, limit: number): Promise<Message[]> {
  const again = lane.hasRetries ? await readRetries(db, lane.webhookId, limit) : [];
  if (again.length > 0) return again.map((event) => ({ ...event, isRetry: true }));
  const fresh = await readEventsAfter(db, lane.workspaceId, lane.position, { types: lane.events, limit });
  return fresh.map((event) => ({ ...event, isRetry: false }));
}

async function readRetries(db: Connection, webhookId: string, limit: number): Promise<WorkspaceEvent[]> {
  const { rows } = await sql<WorkspaceEvent>`
    select event_id as "eventId", coalesce(position, 0) as position, message_id as "messageId", type, at, data
    from webhook_retries join events using (event_id)
    where webhook_id = ${webhookId} order by event_id limit ${limit}`.execute(db);
  return rows;
}

/** Locks a lane that is still this claim's; undefined when it is not. */
export async function lockLane(
  trx: Connection,
  { webhookId, claim }: Lane,
): Promise<{ failingSeconds: number | null } | undefined> {
  const { rows } = await sql<{ failingSeconds: number | null }>`
    select extract(epoch from campanile_now() - failing_since)::float8 as "failingSeconds"
    from webhooks where webhook_id = ${webhookId} and claim = ${claim} for update`.execute(trx);
  return rows[0];
}

export interface LaneEnd {
  /** Events that need not be told once more any longer. */
  doneRetries: readonly number[];
  /** Everything up to there has been told. */
  position: number;
  /** Undefined: nothing failed. */
  failed: { forSeconds: number; nextInSeconds: number } | { reason: 'gone' | 'failing' } | undefined;
}

/** Puts a lane, which must be locked, out of hand. */
export async function releaseLane(trx: Connection, { webhookId }: Lane, end: LaneEnd): Promise<void> {
  const { doneRetries, position, failed } = end;
  if (doneRetries.length > 0)
    await sql`
      delete from webhook_retries where webhook_id = ${webhookId} and event_id = any(${doneRetries}::bigint[])`.execute(
      trx,
    );
  const tryAgain = failed && 'forSeconds' in failed ? failed : undefined;
  const reason = failed && 'reason' in failed ? failed.reason : null;
  await sql`
    update webhooks
    set claimed_until = null, position = greatest(position, ${position}::bigint),
        has_retries = exists (select from webhook_retries r where r.webhook_id = webhooks.webhook_id),
        failing_since = campanile_now() - ${tryAgain?.forSeconds ?? null}::float8 * interval '1 second',
        next_try_at = campanile_now() + ${tryAgain?.nextInSeconds ?? 0}::float8 * interval '1 second',
        disabled_reason = coalesce(${reason}, disabled_reason),
        disabled_at = case when ${reason}::text is null then disabled_at else campanile_now() end
    where webhook_id = ${webhookId}`.execute(trx);
}
