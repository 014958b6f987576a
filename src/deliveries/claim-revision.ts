import { sql } from 'kysely';
import { lockLane } from '../accounts/store.ts';
import type { Connection, Database } from '../database/connect.ts';

/** The right to change what has left, for one account: posts of one run that all get the same. Ends with `finishRevision`. */
export interface RevisionTurn {
  accountId: number;
  /** The lane's number of this turn: the fence. */
  turn: number;
  messenger: string;
  runId: number;
  /** The request that wanted it. */
  number: number;
  kind: 'recall' | 'correct';
  /** Of a correction: what the posts shall say. */
  contentId: number | null;
  posts: RevisedPost[];
  /** How long the pace of the account still forbids to do anything. */
  waitMs: number;
}

export interface RevisedPost {
  position: number;
  messageId: string;
  chatId: string;
  isChannel: boolean;
  /** For how long it had been sent when the turn was taken, in milliseconds; null: it is not known to have left. */
  ageMs: number | null;
  /** Tries before this one. */
  attempts: number;
  /** `open`: it is queued for another try of sending. `absent`: it turned out to have never left. */
  state: 'sent' | 'perhaps' | 'open' | 'absent';
}

export interface RevisionClaim {
  workerId: number;
  /** At most so many posts of an account whose messenger has no gap; of the others one. */
  batch: number;
  paced: readonly string[];
}

/** An account that wants something changed, and how its lane stands. */
export interface DueRevision {
  accountId: number;
  turn: number;
  wakeAt: Date | null;
}

/** Accounts in these shards that want something changed now, and whose lane is free, or will be within `aheadMs`. */
export async function findRevisions(
  db: Connection,
  shards: readonly number[],
  aheadMs: number,
): Promise<DueRevision[]> {
  const { rows } = await sql<DueRevision>`
    with recursive account as (
      (select account_id from revisions where wanted is not null order by account_id limit 1)
      union all
      select (select r.account_id from revisions r where r.wanted is not null and r.account_id > a.account_id order by r.account_id limit 1)
      from account a where a.account_id is not null
    )
    select l.account_id as "accountId", l.turn, l.wake_at as "wakeAt" from account a join lanes l on l.account_id = a.account_id
    where l.shard = any(${shards}::smallint[]) and l.in_hand_run_id is null and l.held_until <= campanile_now()
      and l.next_send_at <= campanile_now() + ${aheadMs} * interval '1 millisecond'
      and exists (select from revisions r where r.account_id = l.account_id and r.wanted is not null
                    and (r.not_before is null or r.not_before <= campanile_now()))
    order by l.next_send_at`.execute(db);
  return rows;
}

/**
 * Takes the account's turn for the oldest request it has: parks its lane, so that nothing is sent meanwhile. Undefined when the lane
 * is not free, is another worker's, or there is nothing to do just now.
 */
export async function claimRevision(
  db: Database,
  accountId: number,
  { workerId, batch, paced }: RevisionClaim,
): Promise<RevisionTurn | undefined> {
  return db.transaction().execute(async (trx) => {
    const { rows: held } = await sql`
      select from shards where shard = campanile_shard(${accountId}) and worker_id = ${workerId} for share skip locked`.execute(
      trx,
    );
    if (held.length === 0 || !(await lockLane(trx, accountId))) return undefined;
    const next = await findNext(trx, accountId);
    if (!next) return undefined;
    const most = paced.includes(next.messenger) ? 1 : batch;
    const posts = await selectPosts(trx, accountId, { ...next, most });
    const { rows } = await sql<{ turn: number; waitMs: number }>`
      update lanes set turn = turn + 1, work_at = null, in_hand_run_id = ${next.runId}, in_hand = '{}'
      where account_id = ${accountId}
      returning turn, (extract(epoch from greatest(next_send_at, campanile_now()) - campanile_now()) * 1000)::float8 as "waitMs"`.execute(
      trx,
    );
    const { turn = 0, waitMs = 0 } = rows[0] ?? {};
    return { accountId, turn, waitMs, posts, ...next };
  });
}

type Next = Pick<RevisionTurn, 'messenger' | 'runId' | 'number' | 'kind' | 'contentId'>;

async function findNext(trx: Connection, accountId: number): Promise<Next | undefined> {
  const { rows } = await sql<Next>`
    select l.messenger, r.run_id as "runId", r.number, r.wanted as kind, r.content_id as "contentId"
    from lanes l join revisions r on r.account_id = l.account_id
    where l.account_id = ${accountId} and l.in_hand_run_id is null and l.held_until <= campanile_now()
      and r.wanted is not null and (r.not_before is null or r.not_before <= campanile_now())
    order by r.number, r.run_id, r.position limit 1`.execute(trx);
  return rows[0];
}

async function selectPosts(
  trx: Connection,
  accountId: number,
  { runId, number, most }: Next & { most: number },
): Promise<RevisedPost[]> {
  const { rows } = await sql<RevisedPost>`
    with post as materialized (
      select position, attempts from revisions
      where account_id = ${accountId} and number = ${number} and run_id = ${runId} and wanted is not null
        and (not_before is null or not_before <= campanile_now())
      order by position limit ${most}
    )
    select p.position, p.attempts, coalesce(d.message_id, '') as "messageId", coalesce(g.send_to, '') as "chatId",
           coalesce(g.kind = 'channel', false) as "isChannel",
           (extract(epoch from campanile_now() - d.sent_at) * 1000)::float8 as "ageMs",
           case when d.status = 'sent' then 'sent' when d.status = 'queued' then 'open'
                when d.uncertain or d.error like 'outcome_unknown%' then 'perhaps' else 'absent' end as state
    from post p
    left join lateral (
      select * from deliveries d where d.account_id = ${accountId} and d.run_id = ${runId} and d.position = p.position limit 1) d on true
    left join lateral (select g.send_to, g.kind from groups g where g.group_id = d.group_id limit 1) g on true
    order by p.position`.execute(trx);
  return rows;
}
