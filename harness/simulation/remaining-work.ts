/** What a ledger still has to do. */
import { time } from './virtual-time.ts';
import type { World } from './world.ts';

export interface RemainingWork {
  running: number;
  revising: number;
  in_hand: number;
  /** Webhooks that have not been told everything, and events that are not yet in their order. */
  telling: number;
  /** The ledger is held. */
  held: boolean;
  /** Deleted, and not wholly gone: the last of them goes after ten minutes. */
  erasing: number;
  /** The next instant at which a lane or a webhook looks again, or a run is due. */
  next_ms: number | null;
  due_ms: number | null;
  /** The name of a campaign is its text. */
  paused: Array<{ campaign: string; text: string; accountId: number }>;
  /** Accounts that cannot send, and for which posts wait that another could send: until somebody hands them over, or stand-ins take over. */
  waiting: Array<{ ownerId: number; accountId: number; isAsked: boolean }>;
}

/** Contract §5: a run begins when it is due, or is missed after six hours without an account that can send. */
const beginsAt = `
  r.due_at + case when exists (select from accounts a where a.workspace_id = r.workspace_id and a.down_since is null)
             then interval '0' else interval '6 hours' end`;

export async function readRemainingWork({ control }: World): Promise<RemainingWork> {
  const { rows } = await control.query<RemainingWork>(
    `
    select (select count(*)::int from runs where status = 'running') as running,
           (select count(*)::int from revisions where wanted is not null) + (select count(*)::int from pins where wanted is not null)
             + (select count(*)::int from revision_requests where next_position is not null) as revising,
           (select count(in_hand_run_id)::int from lanes) as in_hand,
           (select count(*)::int from webhooks where disabled_at is null and (newest > position or has_retries))
             + (select count(*)::int from events where position is null and exists (select from webhooks)) as telling,
           (select held_since is not null from ledger) as held,
           (select count(*)::int from users where deleted_at is not null) as erasing,
           (select (extract(epoch from min(at)) * 1000)::float8
            from (select wake_at as at from lanes l
                  -- A lane looks again and again while a run of its workspace is due that no account can begin.
                  where not exists (
                    select from runs r where r.workspace_id = l.workspace_id and r.status = 'planned' and not r.paused
                      and r.due_at <= to_timestamp($1) and ${beginsAt} > to_timestamp($1))
                  union all select ${beginsAt} from runs r where status = 'planned'
                  union all select greatest(next_try_at, claimed_until) from webhooks
                            where disabled_at is null and (newest > position or has_retries)) due) as next_ms,
           (select (extract(epoch from min(${beginsAt})) * 1000)::float8 from runs r where status = 'planned') as due_ms,
           (select coalesce(json_agg(json_build_object('campaign', c.public_id, 'text', c.name, 'accountId', a.account_id) order by c.campaign_id), '[]')
            from campaigns c join accounts a on a.workspace_id = c.workspace_id and a.is_default
            where c.status = 'paused' and c.deleted_at is null) as paused,
           (select coalesce(json_agg(json_build_object('ownerId', d.account_id, 'accountId', a.account_id, 'isAsked', w.failover_minutes is null) order by a.account_id), '[]')
            from accounts a join workspaces w using (workspace_id) join accounts d on d.workspace_id = a.workspace_id and d.is_default
            where a.down_since <= to_timestamp($1) - coalesce(w.failover_minutes, 0) * interval '1 minute'
              and exists (select from accounts f where f.workspace_id = a.workspace_id and f.account_id <> a.account_id and f.down_since is null)
              and exists (
                select from runs r join deliveries q on q.workspace_id = r.workspace_id and q.run_id = r.run_id
                where r.workspace_id = a.workspace_id and r.status = 'running' and q.status = 'queued' and q.attempts = 0
                  and not q.uncertain and q.interrupted_attempts = 0
                  and q.account_id = a.account_id)) as waiting`,
    // The ledger's clock is set in the connections of the processes only.
    [time.nowMs() / 1_000],
  );
  const [row] = rows;
  if (!row) throw new Error('the ledger did not say how it stands');
  return row;
}
