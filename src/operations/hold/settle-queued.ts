/** Applies an operator's choice to the queued deliveries of a held ledger. */
import { execute, readColumn, readCount, readRows, sql } from '../../platform/database/statements.ts';
import { requeueLanes } from '../../sending/leases/lease-store.ts';
import { lockLedger } from '../../sending/accounts/store.ts';
import { latestStart } from '../../sending/campaigns/begin/expire-runs.ts';
import { insertDeliveries, insertSenders } from '../../sending/deliveries/insert-deliveries.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { selectFailure, setUnsentStatus, settleRuns, type RunKey } from '../../sending/deliveries/settle-runs.ts';
import { describeFailure, toOutcomeUnknown } from '../../platform/errors/failures.ts';
import { isDoubtful } from './list-queued.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/**
 * `send`: they are sent under the ids they have or would have had, as ones that may have left; where repeated ids are not dropped each is
 * looked for first. `unknown`: they are given up as of unknown outcome, until a receipt proves that one has left.
 */
export type Choice = 'send' | 'unknown';

/** In one transaction. */
const DELIVERIES_PER_PIECE = 2_000;
const RESTORED = selectFailure(toOutcomeUnknown(describeFailure('restored')));

/** Carries out the choice for one campaign of a ledger that is held, in pieces. Idempotent: after a crash, run it again. */
export async function settleQueued(db: Database, campaignId: string, choice: Choice): Promise<void> {
  const runs = await readRows<RunKey>(db)`
    select r.workspace_id as "workspaceId", r.run_id as "runId"
    from ledger h join campaigns c on c.public_id = ${campaignId} join runs r on r.campaign_id = c.campaign_id
    where h.held_since is not null and ${isDoubtful}
    order by r.due_at, r.run_id`;
  for (const run of runs) {
    const targets = await db.transaction().execute((trx) => begin(trx, run, choice));
    for (let after = 0; after < targets; after += DELIVERIES_PER_PIECE)
      await db.transaction().execute((trx) => settlePiece(trx, run, after, choice));
  }
}

/**
 * Requeues the turn in flight, and begins a planned run unless it is to be sent and its time is over. A campaign that is to be sent is due
 * from now on, and its lanes are woken. Returns the number of deliveries; 0: there is nothing to settle.
 */
async function begin(trx: Connection, { workspaceId, runId }: RunKey, choice: Choice): Promise<number> {
  if (!(await lockLedger(trx, workspaceId))) return 0;
  const lanes = await readColumn<AccountId>(trx)`
    select account_id from lanes where workspace_id = ${workspaceId} order by 1 for no key update`;
  await requeueLanes(trx, lanes, {});
  if (choice === 'send')
    await execute(trx)`update lanes set work_at = campanile_now() where account_id = any(${lanes}::bigint[])`;
  return readCount(trx)`
    with begun as (
      update runs r
      set status = 'running', content_id = coalesce(r.content_id, c.content_id), started_at = coalesce(r.started_at, campanile_now()),
          progress_at = case when ${choice} = 'send' then campanile_now() else coalesce(r.progress_at, campanile_now()) end,
          targets = case r.status when 'planned' then cardinality(t.group_ids) else r.targets end,
          queued = case r.status when 'planned' then cardinality(t.group_ids) else r.queued end
      from campaigns c join contents t on true
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and c.campaign_id = r.campaign_id
        and t.content_id = coalesce(r.content_id, c.content_id)
        and (r.status = 'running' or r.status = 'planned' and (${choice} = 'unknown' or r.due_at > ${latestStart}))
      returning r.campaign_id, r.targets
    ), running as (
      update campaigns c set status = 'running' from begun b where c.campaign_id = b.campaign_id and c.status = 'scheduled'
    )
    select targets from begun`;
}

async function settlePiece(trx: Connection, run: RunKey, after: number, choice: Choice): Promise<void> {
  const { workspaceId, runId } = run;
  if (!(await lockLedger(trx, workspaceId))) return;
  await writeMissing(trx, run, after + DELIVERIES_PER_PIECE);
  const set =
    choice === 'send'
      ? sql`uncertain = true, resend = true`
      : sql`resend = false, ${setUnsentStatus('failed', RESTORED, sql`true`)}`;
  const rows = await readRows<{ accountId: AccountId; status: string; wasUncertain: boolean }>(trx)`
    with piece as materialized (
      select position, uncertain from deliveries
      where workspace_id = ${workspaceId} and run_id = ${runId} and status = 'queued'
        and position > ${after} and position <= ${after + DELIVERIES_PER_PIECE}
    )
    update deliveries d set ${set} from piece
    where d.workspace_id = ${workspaceId} and d.run_id = ${runId} and d.position = piece.position
    returning d.account_id as "accountId", d.status, piece.uncertain as "wasUncertain"`;
  await countAsSent(
    trx,
    rows.flatMap(({ accountId, wasUncertain }) => (wasUncertain ? [] : [accountId])),
  );
  if (choice === 'send') return;
  const failed = rows.filter(({ status }) => status === 'failed').length;
  await execute(trx)`
    update runs set queued = queued - ${rows.length}, failed = failed + ${failed}, sent = sent + ${rows.length - failed}
    where workspace_id = ${workspaceId} and run_id = ${runId}`;
  await settleRuns(trx, [run]);
}

/** Counts a post of each of these accounts for today's cap: it may have left since the backup that this ledger was restored from. */
async function countAsSent(trx: Connection, accountIds: readonly AccountId[]): Promise<void> {
  await execute(trx)`
    insert into sent_slots as s (account_id, slot, posts)
    select account_id, quarter_hour(campanile_now()), count(*) from unnest(${[...accountIds]}::bigint[]) i (account_id) group by 1
    on conflict (account_id, slot) do update set posts = s.posts + excluded.posts`;
}

/** The rows up to a position that the run has not got yet, by the accounts that would have sent them. */
async function writeMissing(trx: Connection, { workspaceId, runId }: RunKey, upto: number): Promise<void> {
  await execute(trx)`
    with part as materialized (
      select r.*, least(r.targets, ${upto}::int) as upto, c.public_id, k.legacy_account_id, a.account_id
      from runs r join campaigns c on c.campaign_id = r.campaign_id
      join workspace_ledgers k on k.workspace_id = r.workspace_id
      join accounts a on a.workspace_id = r.workspace_id and a.is_default
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.expanded < least(r.targets, ${upto}::int)
    ), written as (
      ${insertDeliveries(sql`part`, { after: sql`p.expanded`, upto: sql`p.upto` })}
    ), sender as (
      ${insertSenders(sql`written`, sql`part`)}
    )
    update runs r set expanded = p.upto from part p where r.workspace_id = p.workspace_id and r.run_id = p.run_id`;
}
