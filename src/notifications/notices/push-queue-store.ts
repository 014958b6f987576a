/** The SQL of the queue for notices by push and e-mail. */
import { execute, readValue, sql, type Connection } from '../../platform/database/statements.ts';
import type { Outbox } from '../../platform/database/outbox.ts';
import type { UserId, WorkspaceId } from '../../platform/database/schema.ts';
import type { NoticeKind } from './kinds.ts';
import type { NoticeData } from './notice-store.ts';
import type { Subscription } from './subscribe-push.ts';

/** The notices of one kind that are due to a user by one channel. */
export interface Turn {
  turnId: number;
  userId: UserId;
  kind: NoticeKind;
  /** So many notices ... */
  count: number;
  /** ... of which this is the newest; null: the user or their interest is gone, or the notice is over a day old. */
  data: NoticeData | null;
  /** The workspace of the newest; null: made before a person could have several. */
  workspaceId: WorkspaceId | null;
  /** Of the person. */
  language: string | null;
  timeZone: string | null;
}

/** The notices of one kind that are due to a browser. */
export interface PushTurn extends Turn, Subscription {
  subscriptionId: number;
}

/** A browser whose pushes have failed for so long is removed. */
const GIVEN_UP = sql`interval '1 day'`;

const COLUMNS = sql`
  q.turn_id as "turnId", q.user_id as "userId", q.kind, q.waiting as count,
  (select n.data from notices n join users u using (user_id)
   where n.notice_id = q.notice_id and n.at > campanile_now() - interval '1 day' and u.deleted_at is null and u.disabled_at is null) as data,
  (select n.workspace_id from notices n where n.notice_id = q.notice_id) as "workspaceId",
  (select u.language from users u where u.user_id = q.user_id) as language,
  (select u.time_zone from users u where u.user_id = q.user_id) as "timeZone"`;

/** Notices that are due by push. */
export const PUSHES: Outbox = {
  batch: 'pushes',
  table: 'notice_turns',
  key: 'turn_id',
  isUnsent: sql`q.waiting > 0 and q.subscription_id is not null`,
  columns: sql`${COLUMNS}, s.subscription_id as "subscriptionId", s.endpoint, s.p256dh, s.auth`,
  joins: sql`join push_subscriptions s on s.subscription_id = q.subscription_id`,
};

/** Notices that are due by e-mail. */
export const NOTICE_MAILS: Outbox = {
  batch: 'notice mails',
  table: 'notice_turns',
  key: 'turn_id',
  isUnsent: sql`q.waiting > 0 and q.subscription_id is null`,
  columns: COLUMNS,
};

/** Settles delivered or obsolete turns; notices that were added meanwhile wait for the next one. */
export async function settleTurns(db: Connection, turns: readonly Turn[]): Promise<void> {
  await execute(db)`
    update notice_turns t set waiting = greatest(0, t.waiting - s.count), tries = 0
    from unnest(${turns.map(({ turnId }) => turnId)}::bigint[], ${turns.map(({ count }) => count)}::int[]) s (turn_id, count)
    where t.turn_id = s.turn_id`;
}

/**
 * Records that a push failed: all notices for the browser wait `waitSeconds`, or longer if the push service said so. A browser that has
 * failed for a day is removed.
 */
export async function recordFailed(db: Connection, turn: PushTurn, waitSeconds: number): Promise<void> {
  const isOver = await readValue<boolean>(db)`
    update push_subscriptions set failing_since = coalesce(failing_since, campanile_now())
    where subscription_id = ${turn.subscriptionId}
    returning failing_since <= campanile_now() - ${GIVEN_UP} as "isOver"`;
  if (isOver) return forgetBrowser(db, turn.subscriptionId);
  await execute(db)`
    update notice_turns t
    set due_at = greatest(t.due_at, failed.due_at, campanile_now() + ${waitSeconds}::float8 * interval '1 second')
    from notice_turns failed
    where failed.turn_id = ${turn.turnId} and t.subscription_id = ${turn.subscriptionId}`;
}

export async function forgetBrowser(db: Connection, subscriptionId: number): Promise<void> {
  await execute(db)`delete from push_subscriptions where subscription_id = ${subscriptionId}`;
}
