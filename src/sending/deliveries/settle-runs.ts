import { execute, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { isUncertain } from './assign-senders.ts';
import { describeFailure, toOutcomeUnknown, type Failure } from '../../platform/errors/failures.ts';

export interface RunKey {
  workspaceId: WorkspaceId;
  runId: number;
}

/**
 * Ends runs with nothing queued, and campaigns without open runs. Call it in the transaction that removed the queued deliveries, with the
 * lanes locked. Runs with queued deliveries are skipped, so a repeated call changes nothing.
 */
export async function settleRuns(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await execute(trx)`select settle_runs(${workspaceIds(runs)}::bigint[], ${runIds(runs)}::bigint[])`;
}

/**
 * Turns `completed_with_errors` into `completed` for ended runs and campaigns without failed deliveries: a failed delivery turned out to
 * have been sent. The ledgers must be locked.
 */
export async function clearErrors(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await execute(trx)`select clear_errors(${workspaceIds(runs)}::bigint[], ${runIds(runs)}::bigint[])`;
}

/** Counts ended runs off their campaigns, one for each time a campaign is named; a campaign with none left has ended too. */
export async function closeRuns(trx: Connection, campaignIds: readonly number[]): Promise<void> {
  if (campaignIds.length === 0) return;
  await execute(trx)`select close_runs(${campaignIds}::bigint[])`;
}

const workspaceIds = (runs: readonly RunKey[]) => runs.map((run) => run.workspaceId);
const runIds = (runs: readonly RunKey[]) => runs.map((run) => run.runId);

/** How many people a post to a group `g` goes to: its members but the sender, who is none of a channel's followers. */
export const recipientsOf = sql<number>`(g.participants - case g.kind when 'channel' then 0 else 1 end)`;

/** True if a member has received the delivery `d`, or seen it in a channel. finish_turns.sql and settle_received.sql have the same rule. */
const wasReceived = sql<boolean>`(d.delivered + d.views > 0)`;

/** Selects what `error`, `error_code` and `error_params` of a delivery become. */
export const selectFailure = ({ reason, code = 'other', params }: Failure): RawBuilder<unknown> => sql`
  select ${reason}::text, ${code}::text, ${params ? JSON.stringify(params) : null}::jsonb`;

/** What is known of a delivery stays, unless an attempt of it may have left: an earlier refusal would say that it has not. */
const KEPT_FAILURE = sql`
  select d.error, d.error_code, d.error_params where d.error is null or not ${isUncertain(sql`d`)}
  union all ${selectFailure(toOutcomeUnknown(describeFailure('cancelled_in_doubt')))}
  where d.error is not null and ${isUncertain(sql`d`)}`;

/**
 * Returns the assignments that end a queued delivery `d` with this status, or as `sent` if a member has received it. Such receipts come
 * while the delivery is in hand, and its finish knew nothing or never came. `failure` is made by `selectFailure`.
 */
export function setUnsentStatus(
  status: 'cancelled' | 'failed',
  failure: RawBuilder<unknown> = KEPT_FAILURE,
  uncertain: RawBuilder<boolean> = sql`d.uncertain`,
): RawBuilder<unknown> {
  return sql`
    status = case when ${wasReceived} then 'sent' else ${sql.lit(status)} end::delivery_status, not_before = null,
    sent_at = case when ${wasReceived} then campanile_now() end,
    recipients = case when ${wasReceived}
      then (select ${recipientsOf} from groups g where g.group_id = d.group_id) else d.recipients end,
    (error, error_code, error_params) = (select f.* from (${failure}) f where not ${wasReceived}),
    uncertain = ${uncertain} and not ${wasReceived}`;
}

/** In one transaction. */
const DROPPED_TOGETHER = 2_000;
const RUNS_TOGETHER = 5;

/** Cancels the next piece of queued deliveries of the account's cancelled runs. The ledger must be locked. */
export async function dropQueued(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`
    with run as materialized (
      select r.run_id, ceil(${DROPPED_TOGETHER}::float8 / count(*) over ())::int as most
      from (select run_id from runs where workspace_id = ${workspaceId} and dropping order by run_id limit ${RUNS_TOGETHER}) r
    ), dropped as (
      update deliveries d set ${setUnsentStatus('cancelled')}
      -- By where they are, whatever the planner believes of tables that have just grown.
      where d.ctid = any(array(
        select at.row from run
        cross join lateral (
          select q.ctid as row from deliveries q
          where q.workspace_id = ${workspaceId} and q.run_id = run.run_id and q.status = 'queued' order by q.position limit run.most
        ) at))
      returning d.run_id, d.status
    )
    update runs r
    set queued = r.queued - c.count, cancelled = r.cancelled + c.count - c.sent, sent = r.sent + c.sent, dropping = c.count = c.most
    from (select run.run_id, run.most, count(d.run_id)::int as count, count(*) filter (where d.status = 'sent')::int as sent
          from run left join dropped d on d.run_id = run.run_id group by 1, 2) c
    where r.workspace_id = ${workspaceId} and r.run_id = c.run_id`;
}
