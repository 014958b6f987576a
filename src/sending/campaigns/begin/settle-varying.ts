import { execute, sql, type RawBuilder, type Connection } from '../../../platform/database/statements.ts';
import type { FollowUp } from '../../../content/post/post-extras.ts';
import { findCampaignOfWorkspace } from '../store.ts';
import { describeFailure, FAILURES } from '../../../platform/errors/failures.ts';
import { selectFailure, settleRuns } from '../../deliveries/settle-runs.ts';
import { fixValues } from './fix-values.ts';
import { percentOf, reads } from '../roll-up/roll-up-runs.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** Deliveries that were just written and vary by group, by their positions: of a follow-up, or of a post with fields. */
export interface VaryingPiece {
  workspaceId: WorkspaceId;
  runId: number;
  followUp: FollowUp | null;
  hasFields: boolean;
  first: number;
  last: number;
}

/**
 * Selects the pieces that vary from `runs`, a relation with `workspace_id`, `run_id`, `extras` and `has_fields` that `first` and `last` know
 * as `p`. Nearly all runs do not, and are left out.
 */
export const selectVarying = (
  runs: RawBuilder<unknown>,
  { first, last }: { first: RawBuilder<unknown>; last: RawBuilder<unknown> },
): RawBuilder<VaryingPiece> => sql`
  select p.workspace_id as "workspaceId", p.run_id as "runId", p.extras -> 'followUp' as "followUp", p.has_fields as "hasFields",
         ${first} as first, ${last} as last
  from ${runs} p where p.extras ? 'followUp' or p.has_fields`;

/** Decides which deliveries that were just written go out, and gives those with fields their values. `timeZone` is the installation's. */
export async function settleVarying(trx: Connection, pieces: readonly VaryingPiece[], timeZone = 'UTC'): Promise<void> {
  await skipReaders(trx, pieces);
  const withFields = pieces.filter(({ hasFields }) => hasFields);
  const toQueued = ({ first, last, ...run }: VaryingPiece) => ({
    ...run,
    which: sql<boolean>`d.position between ${first}::int and ${last}::int`,
  });
  await fixValues(trx, withFields.map(toQueued), { installationZone: timeZone, former: 'new' });
}

/**
 * Decides which deliveries of a follow-up go out, in the transaction that wrote them: those of groups that have read enough, or whose
 * reads are unknown, are cancelled with the reason. So each is decided once, and no crash falls between the check and the queue. Ends
 * runs with nothing left. The ledgers must be locked.
 */
async function skipReaders(trx: Connection, pieces: readonly VaryingPiece[]): Promise<void> {
  const following = pieces.flatMap(({ followUp, ...piece }) => (followUp ? [{ ...piece, followUp }] : []));
  for (const piece of following) await skipReadersOf(trx, piece);
  await settleRuns(trx, following);
}

const [, , READ_BY] = FAILURES.already_read;

async function skipReadersOf(
  trx: Connection,
  { workspaceId, runId, followUp, first, last }: VaryingPiece & { followUp: FollowUp },
) {
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
