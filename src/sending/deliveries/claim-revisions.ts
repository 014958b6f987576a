import { execute, readColumn, readRows, sql } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { LONGEST_WAIT } from './limit-future-instants.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/**
 * The right of one account to revise posts now: posts of one run that all change in the same way. It ends with `finishRevision`.
 */
export interface RevisionTurn {
  workspaceId: WorkspaceId;
  /** The account that sent the posts, or an admin of their groups in its place. */
  accountId: AccountId;
  /** The lane's number of this turn: the fence. */
  turn: number;
  messenger: string;
  runId: number;
  /** The request that wanted it. */
  number: number;
  kind: 'recall' | 'correct' | 'pin' | 'unpin';
  /** Of a correction what the posts shall say, of a recall what they say. Null: a pin. */
  contentId: number | null;
  /** Of a pin: how long it stays. */
  seconds: number | null;
  posts: RevisedPost[];
}

export interface RevisedPost {
  position: number;
  messageId: string;
  chatId: string;
  /** The account that sent it, if it is another one. */
  sentBy: AccountId | null;
  isChannel: boolean;
  /** Milliseconds since it was sent, when the turn was taken; null: it may not have left. */
  ageMs: number | null;
  /** Tries before this one. */
  attempts: number;
  /** `open`: queued for a retry. `absent`: it has never left. `perhaps`: it may have left. */
  state: 'sent' | 'perhaps' | 'open' | 'absent';
}

export interface RevisionClaim {
  workerId: number;
  /** At most so many posts of an account whose messenger has no gap; of the others one. */
  batch: number;
  paced: readonly string[];
}

/**
 * True if the retry of a revision is due. Clock step: no retry waits for longer than `LONGEST_WAIT`, so a later one was stored before the
 * clock was set back.
 */
export const isRetryDue = (revision: string) => sql<boolean>`
  (${sql.ref(revision)}.not_before <= campanile_now() or ${sql.ref(revision)}.not_before > campanile_now() + ${LONGEST_WAIT})`;

const revisionColumns = sql`
  r.workspace_id, r.run_id, r.position, r.wanted::text as kind, r.number, r.content_id, null::int as seconds, r.sent_at, r.is_channel, r.attempts`;
const pinColumns = sql`
  r.workspace_id, r.run_id, r.position, r.wanted, r.number, null::bigint, r.seconds, r.sent_at, false, r.attempts`;

type TurnRow = Omit<RevisionTurn, 'posts'> & RevisedPost;

/**
 * Takes a turn for each of these accounts whose lane is free, belongs to this worker and has a revision to carry out. The lane is parked,
 * so that nothing is sent meanwhile. The newest posts go first. `free` lists the accounts whose lane was free, with and without a turn.
 */
export async function claimRevisions(
  db: Database,
  accountIds: readonly AccountId[],
  { workerId, batch, paced }: RevisionClaim,
): Promise<{ turns: RevisionTurn[]; free: AccountId[] }> {
  return db.transaction().execute(async (trx) => {
    const free = await readColumn<AccountId>(trx)`
      with held as materialized (
        select shard from shards
        where shard in (select campanile_shard(i.id) from unnest(${[...accountIds]}::bigint[]) i (id)) and worker_id = ${workerId}
        for share skip locked
      )
      select l.account_id from lanes l join workspace_ledgers k on k.workspace_id = l.workspace_id
      where l.account_id = any(${[...accountIds]}::bigint[]) and l.shard in (select shard from held)
        and l.in_hand_run_id is null and l.next_send_at <= campanile_now() and l.held_until <= campanile_now()
      order by l.account_id for no key update of k, l skip locked`;
    const rows = free.length === 0 ? [] : await park(trx, free, { batch, paced });
    return { turns: toTurns(rows), free };
  });
}

/**
 * Makes the planner read revisions in the order of their indexes until the transaction ends. With current statistics it would sort all of an
 * account's for each turn: it does not know how few are wanted, since the limit is a value of the query.
 */
async function forceIndexOrder(trx: Connection): Promise<void> {
  await execute(trx)`
    select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`;
}

async function park(trx: Connection, free: AccountId[], { batch, paced }: Omit<RevisionClaim, 'workerId'>) {
  await forceIndexOrder(trx);
  return readRows<TurnRow>(trx)`
    with post as materialized (
      select l.account_id, l.messenger, l.turn + 1 as turn, p.*
      from lanes l
      cross join lateral (
        select case when l.messenger = any(${paced}::text[]) then 1 else ${batch}::int end as most) m
      cross join lateral (
        select * from (
          select c.*, first_value(c.run_id) over newest as first_run, first_value(c.number) over newest as first_number
          from (
            -- Of each kind by itself, as the index has it.
            (select f.* from (values ('recall'::revision_kind, false), ('recall', true), ('correct', false), ('correct', true)) k (wanted, is_channel)
             cross join lateral (
               select ${revisionColumns} from revisions r
               where r.workspace_id = l.workspace_id and r.wanted = k.wanted and r.is_channel = k.is_channel and r.not_before is null
                 and r.account_id = l.account_id
               order by r.sent_at desc nulls last limit m.most) f)
            union all
            (select ${revisionColumns} from revisions r
             where r.workspace_id = l.workspace_id and ${isRetryDue('r')} and r.account_id = l.account_id
             order by r.not_before limit m.most)
            union all
            (select ${pinColumns} from pins r
             where r.workspace_id = l.workspace_id and r.wanted is not null and r.not_before is null and r.account_id = l.account_id
             order by r.sent_at desc nulls last limit m.most)
            union all
            (select ${pinColumns} from pins r
             where r.workspace_id = l.workspace_id and ${isRetryDue('r')} and r.account_id = l.account_id
             order by r.not_before limit m.most)
          ) c
          window newest as (order by c.sent_at desc nulls last, c.run_id desc, c.position)
        ) w
        where w.run_id = w.first_run and w.number = w.first_number
        order by w.sent_at desc nulls last, w.position limit m.most
      ) p
      where l.account_id = any(${free}::bigint[])
    ), parked as (
      update lanes l set turn = t.turn, work_at = null, in_hand_run_id = t.run_id, in_hand = '{}'
      from (select distinct account_id, turn, run_id from post) t where l.account_id = t.account_id
    )
    select p.account_id as "accountId", p.workspace_id as "workspaceId", p.turn, p.messenger, p.run_id as "runId", p.number, p.kind, p.seconds,
           case p.kind when 'recall' then (select r.content_id from runs r where r.workspace_id = p.workspace_id and r.run_id = p.run_id)
                       else p.content_id end as "contentId", nullif(d.account_id, p.account_id) as "sentBy",
           p.position, p.attempts, p.is_channel as "isChannel", coalesce(d.message_id, '') as "messageId",
           coalesce(g.send_to, '') as "chatId", (extract(epoch from campanile_now() - d.sent_at) * 1000)::float8 as "ageMs",
           case when p.kind in ('pin', 'unpin') and (d.status is distinct from 'sent' or v.is_recalled) then 'absent'
                when d.status = 'sent' then 'sent' when d.status = 'queued' then 'open'
                when d.uncertain or d.error_code = 'outcome_unknown' then 'perhaps' else 'absent' end as state
    from post p
    left join lateral (
      select * from deliveries d where d.workspace_id = p.workspace_id and d.run_id = p.run_id and d.position = p.position limit 1) d on true
    left join lateral (select g.send_to from groups g where g.group_id = d.group_id limit 1) g on true
    left join lateral (
      select v.recalled_at is not null or coalesce(v.wanted = 'recall', false) as is_recalled from revisions v
      where v.workspace_id = p.workspace_id and v.run_id = p.run_id and v.position = p.position limit 1) v on true
    order by p.account_id, p.sent_at desc nulls last, p.position`;
}

function toTurns(rows: TurnRow[]): RevisionTurn[] {
  const turns = Map.groupBy(rows, (row) => row.accountId);
  return [...turns.values()].flatMap((posts) => {
    const [first] = posts;
    return first ? [{ ...first, posts }] : [];
  });
}
