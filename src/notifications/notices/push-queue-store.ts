/** The SQL of what waits to be told outside the dashboard. */
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { ownedBy, type Owners } from '../../platform/database/isolate-statement.ts';
import type { UserId } from '../../platform/database/schema.ts';
import type { NoticeKind } from './kinds.ts';
import type { NoticeData } from './notice-store.ts';

/** What somebody is to be told of a kind by one way. */
export interface Turn {
  turnId: number;
  userId: UserId;
  kind: NoticeKind;
  /** So many notices ... */
  count: number;
  /** ... of which this is the newest; null: there is nobody to tell any more, or it is over a day old. */
  data: NoticeData | null;
  /** Of the person. */
  language: string | null;
  timeZone: string | null;
}

/** Where a browser is told. */
export interface PushTurn extends Turn {
  subscriptionId: number;
  endpoint: string;
  p256dh: string;
  auth: string;
}

/** A browser that could not be told anything for so long is told nothing more. */
const GIVEN_UP = sql`interval '1 day'`;

const TURN = sql`
  t.turn_id as "turnId", t.user_id as "userId", t.kind, t.waiting as count,
  (select n.data from notices n join users u using (user_id)
   where n.notice_id = t.notice_id and n.at > campanile_now() - interval '1 day' and u.deleted_at is null and u.disabled_at is null) as data,
  (select u.language from users u where u.user_id = t.user_id) as language,
  (select u.time_zone from users u where u.user_id = t.user_id) as "timeZone"`;

/** Puts the next time off for a minute, then two, up to an hour: whoever took a turn must be done sooner, and no kind is told more often. */
const PUT_OFF = sql`
  tries = t.tries + 1, due_at = campanile_now() + least(60, power(2, least(t.tries, 6))) * interval '1 minute'`;

/** Takes the browser that is due longest, of nobody who is `busy`. Undefined: none is due, or the ledger is held. */
export async function claimPush(
  db: Connection,
  busy: readonly UserId[],
  owners: Owners,
): Promise<PushTurn | undefined> {
  const { rows } = await sql<PushTurn>`
    update notice_turns t set ${PUT_OFF}
    from (
      select turn_id from notice_turns
      where waiting > 0 and due_at <= campanile_now() and subscription_id is not null and user_id <> all(${[...busy]}::bigint[])
        and ${ownedBy('user_id', owners)}
        and not exists (select from ledger where held_since is not null)
      order by due_at limit 1 for update skip locked
    ) due, push_subscriptions s
    where t.turn_id = due.turn_id and s.subscription_id = t.subscription_id
    returning ${TURN}, s.subscription_id as "subscriptionId", s.endpoint, s.p256dh, s.auth`.execute(db);
  return rows[0];
}

/** Takes mails that are due, some of them. Undefined while the ledger is held. */
export async function claimMails(trx: Connection, limit: number, owners: Owners): Promise<Turn[]> {
  const { rows } = await sql<Turn>`
    update notice_turns t set ${PUT_OFF}
    from (
      select turn_id from notice_turns
      where waiting > 0 and due_at <= campanile_now() and subscription_id is null and ${ownedBy('user_id', owners)}
        and not exists (select from ledger where held_since is not null)
      order by due_at limit ${limit} for update skip locked
    ) due
    where t.turn_id = due.turn_id
    returning ${TURN}`.execute(trx);
  return rows;
}

/** People who are due to be told something, by browser or by e-mail. */
export async function findDuePeople(db: Connection, by: 'browser' | 'email'): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct user_id as id from notice_turns
    where waiting > 0 and due_at <= campanile_now() and (subscription_id is null) = ${by === 'email'}`.execute(db);
  return rows.map(({ id }) => id);
}

/** These have been told, or need not be; what was added meanwhile waits for the next time. */
export async function settleTurns(db: Connection, turns: readonly Turn[]): Promise<void> {
  await sql`
    update notice_turns t set waiting = greatest(0, t.waiting - s.count), tries = 0
    from unnest(${turns.map(({ turnId }) => turnId)}::bigint[], ${turns.map(({ count }) => count)}::int[]) s (turn_id, count)
    where t.turn_id = s.turn_id`.execute(db);
}

export async function recordReached(db: Connection, subscriptionId: number): Promise<void> {
  await sql`
    update push_subscriptions set failing_since = null
    where subscription_id = ${subscriptionId} and failing_since is not null`.execute(db);
}

/**
 * Notes that a browser could not be told: whatever else waits for it waits as long, or longer where its service said so. One that has
 * failed for a day is forgotten.
 */
export async function recordFailed(db: Connection, turn: PushTurn, waitSeconds: number): Promise<void> {
  const { rows } = await sql<{ isOver: boolean }>`
    update push_subscriptions set failing_since = coalesce(failing_since, campanile_now())
    where subscription_id = ${turn.subscriptionId}
    returning failing_since <= campanile_now() - ${GIVEN_UP} as "isOver"`.execute(db);
  if (rows[0]?.isOver) return forgetBrowser(db, turn.subscriptionId);
  await sql`
    update notice_turns t
    set due_at = greatest(t.due_at, failed.due_at, campanile_now() + ${waitSeconds}::float8 * interval '1 second')
    from notice_turns failed
    where failed.turn_id = ${turn.turnId} and t.subscription_id = ${turn.subscriptionId}`.execute(db);
}

export async function forgetBrowser(db: Connection, subscriptionId: number): Promise<void> {
  await sql`delete from push_subscriptions where subscription_id = ${subscriptionId}`.execute(db);
}
