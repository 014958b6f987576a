/** Runs that have begun get their deliveries: in pieces, so that nothing waits long for one, and workspaces take turns. */
import { readColumn, readRows, sql, type RawBuilder } from '../../../platform/database/statements.ts';
import { isolateWrites } from '../../accounts/quarantine-account.ts';
import { readResting } from '../../accounts/send-window-rules.ts';
import { lockFreeLedgers } from '../../accounts/store.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { readQuarantined } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { Rotation } from '../../../platform/concurrency/round-robin.ts';
import { insertDeliveries, insertSenders } from '../../deliveries/insert-deliveries.ts';
import { selectVarying, settleVarying, type VaryingPiece } from './settle-varying.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** In one transaction, of a few workspaces together; each has its share. */
const DELIVERIES_PER_PIECE = 2_000;
const WORKSPACES_PER_PIECE = 20;
/** Of one workspace in one piece. */
const RUNS_PER_PIECE = 200;
/** After so long somebody else may have something due. */
const STEP_MS = 200;

/** Writes what is missing of runs that have begun in these shards, for a moment. `locked`: somebody else has all that could be written. */
export async function writeDeliveries(
  db: Database,
  shards: number[],
  { turns, log, timeZone }: { turns: Rotation; log?: Log | undefined; timeZone?: string | undefined },
): Promise<'nothing' | 'locked' | 'written'> {
  const { held } = await readQuarantined(db, 'written deliveries');
  const found = await readColumn<WorkspaceId>(db)`${selectUnwritten(shards)}`;
  const workspaces = turns.order(found.filter((workspaceId) => !held.has(workspaceId)));
  const endMs = performance.now() + STEP_MS;
  let free = 0;
  for (let from = 0; from < workspaces.length && performance.now() < endMs; from += WORKSPACES_PER_PIECE) {
    const some = workspaces.slice(from, from + WORKSPACES_PER_PIECE);
    turns.served(some);
    const { results } = await isolateWrites({ db, log }, 'written deliveries', some, {
      idOf: (workspaceId) => workspaceId,
      run: (ids) =>
        db.transaction().execute(async (trx) => {
          const locked = await lockFreeLedgers(trx, ids);
          await writePiece(trx, locked, timeZone);
          return locked.length;
        }),
    });
    // The others are locked by somebody else.
    free += results.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  }
  if (free > 0) return 'written';
  return workspaces.length > 0 ? 'locked' : 'nothing';
}

/** The condition that these shards have deliveries to write. */
export function hasUnwritten(shards: readonly number[]): RawBuilder<boolean> {
  return sql`exists (${selectUnwritten(shards)})`;
}

function selectUnwritten(shards: readonly number[]): RawBuilder<unknown> {
  return sql`
    select workspace_id from (
      select workspace_id from runs where shard = any(${[...shards]}::smallint[]) and status = 'running' and expanded < targets
      -- With an order, so that the index that has it serves this: while runs begin it seems as if many had more.
      group by shard, workspace_id order by shard, workspace_id
    ) r
    -- Of a workspace that is stopped nothing is written.
    where exists (select from accounts a where a.workspace_id = r.workspace_id and a.stop_reason is null and a.disabled_at is null and a.removed_at is null)`;
}

async function writePiece(trx: Connection, workspaceIds: readonly WorkspaceId[], timeZone = 'UTC'): Promise<void> {
  if (workspaceIds.length === 0) return;
  const each = Math.ceil(DELIVERIES_PER_PIECE / workspaceIds.length);
  const resting = await readResting(trx, workspaceIds, timeZone);
  const rows = await readRows<VaryingPiece>(trx)`
    with part as materialized (
      select a.workspace_id, r.run_id, r.content_id, k.public_id, i.legacy_account_id, o.account_id, r.is_shared, r.expanded, least(r.expanded + ${each}::int - r.before, r.targets)::int as upto
      from unnest(${[...workspaceIds]}::bigint[]) a (workspace_id)
      cross join lateral (
        select l.*, coalesce(sum(l.targets - l.expanded) over (
                 order by l.due_at, l.run_id rows between unbounded preceding and 1 preceding), 0) as before
        from (select * from runs r where r.workspace_id = a.workspace_id and r.status = 'running' and r.expanded < r.targets
              order by r.due_at, r.run_id limit ${RUNS_PER_PIECE}) l
      ) r
      join campaigns k on k.campaign_id = r.campaign_id
      join workspace_ledgers i on i.workspace_id = a.workspace_id
      join accounts o on o.workspace_id = a.workspace_id and o.is_default
      where r.before < ${each}::int
    ), written as (
      ${insertDeliveries(sql`part`, { after: sql`p.expanded`, upto: sql`p.upto`, resting })}
    ), sender as (
      ${insertSenders(sql`written`, sql`part`)}
    ), expanded as (
      update runs r set expanded = p.upto from part p where r.workspace_id = p.workspace_id and r.run_id = p.run_id
    ), woken as (
      update lanes l set work_at = campanile_now()
      from (select distinct workspace_id from part) p where l.workspace_id = p.workspace_id and l.in_hand_run_id is null
    )
    ${selectVarying(
      sql`(select p.*, c.extras, c.template is not null as has_fields from part p join contents c on c.content_id = p.content_id)`,
      {
        first: sql`p.expanded + 1`,
        last: sql`p.upto`,
      },
    )}`;
  await settleVarying(trx, rows, timeZone);
}
