import { execute, sql, type RawBuilder, type Connection } from '../../../platform/database/statements.ts';
import type { FollowUp } from '../../../content/post/post-extras.ts';
import { findCampaignOfWorkspace } from '../store.ts';
import { describeFailure, FAILURES } from '../../../platform/errors/failures.ts';
import { selectFailure, settleRuns } from '../../deliveries/settle-runs.ts';
import { percentOf, reads } from '../roll-up/roll-up-runs.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** Deliveries of a follow-up that were just written, by their positions. */
export interface FollowUpPiece {
  workspaceId: WorkspaceId;
  runId: number;
  followUp: FollowUp;
  first: number;
  last: number;
}

/**
 * Selects the pieces of follow-ups from `runs`, a relation with `workspace_id`, `run_id` and `extras` that `first` and `last` know as `p`. Nearly
 * all runs follow up nothing, and are left out.
 */
export const selectFollowUps = (
  runs: RawBuilder<unknown>,
  { first, last }: { first: RawBuilder<unknown>; last: RawBuilder<unknown> },
): RawBuilder<FollowUpPiece> => sql`
  select p.workspace_id as "workspaceId", p.run_id as "runId", p.extras -> 'followUp' as "followUp", ${first} as first, ${last} as last
  from ${runs} p where p.extras ? 'followUp'`;

/**
 * Decides which deliveries of a follow-up go out, in the transaction that wrote them: those of groups that have read enough, or whose
 * reads are unknown, are cancelled with the reason. So each is decided once, and no crash falls between the check and the queue. Ends
 * runs with nothing left. The ledgers must be locked.
 */
export async function skipReaders(trx: Connection, pieces: readonly FollowUpPiece[]): Promise<void> {
  for (const piece of pieces) await skipReadersOf(trx, piece);
  await settleRuns(trx, pieces);
}

const [, , READ_BY] = FAILURES.already_read;

async function skipReadersOf(trx: Connection, { workspaceId, runId, followUp, first, last }: FollowUpPiece) {
  const campaignId = await findCampaignOfWorkspace(trx, workspaceId, followUp.campaignId);
  // Of a campaign that was deleted nothing is known.
  const source = {
    workspaceId,
    campaignId: campaignId ?? 0,
    runId: campaignId === undefined ? undefined : followUp.runId,
  };
  const percent = percentOf(sql.ref('d.group_id'));
  await execute(trx)`
    with ${reads(source)}, skipped as (
      update deliveries d
      set status = 'cancelled',
          (error, error_code, error_params) = (
            ${selectFailure(describeFailure('reads_unknown'))} where ${percent} is null
            union all select replace(${READ_BY}::text, '{percent}', floor(${percent})::text), 'already_read', jsonb_build_object('percent', floor(${percent}))
            where ${percent} is not null)
      from reads r
      where d.workspace_id = ${workspaceId} and d.run_id = ${runId} and d.position between ${first}::int and ${last}::int and d.status = 'queued'
        and coalesce(${percent} >= ${followUp.underPercent}::int, true)
      returning d.position
    )
    update runs r set queued = r.queued - n.count, cancelled = r.cancelled + n.count, skipped = r.skipped + n.count
    from (select count(*)::int as count from skipped) n
    where r.workspace_id = ${workspaceId} and r.run_id = ${runId}`;
}
