import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { RevisionTurn } from './claim-revisions.ts';
import type { RevisionOutcome } from './revision-outcome.ts';

/**
 * Records the outcomes of a turn that pinned or unpinned posts; null is not recorded. If another request replaced this one meanwhile,
 * only what was done is recorded, and the other stays wanted; once that was carried out, it is what is true. The row of a post that is
 * gone is removed.
 */
export async function writePinOutcomes(
  trx: Connection,
  { workspaceId, runId, number, kind, seconds, posts }: RevisionTurn,
  written: ReadonlyArray<RevisionOutcome | null>,
): Promise<void> {
  await sql`
    with outcome as materialized (
      select o.*, at.row
      from unnest(${posts.map((post) => post.position)}::int[], ${written.map((one) => one?.kind ?? null)}::text[],
                  ${written.map((one) => (one?.kind === 'failed' ? one.reason.toWellFormed() : null))}::text[],
                  ${written.map((one) => (one?.kind === 'retry' ? one.waitMs : 0))}::float8[],
                  ${written.map((one) => (one?.kind === 'retry' ? one.tries : 0))}::smallint[])
        o (position, kind, reason, wait_ms, tries)
      cross join lateral (
        select q.ctid as row, q.number, q.wanted from pins q
        where q.workspace_id = ${workspaceId} and q.run_id = ${runId} and q.position = o.position limit 1) at
      where o.kind is not null and (at.number = ${number} or o.kind = 'done' and at.wanted is not null)
    ), dropped as (
      delete from pins v using outcome o where v.ctid = o.row and o.kind = 'absent'
    )
    update pins v
    set wanted = case when o.kind = 'retry' or v.number <> ${number} then v.wanted end,
        pinned_at = case when o.kind = 'done' and ${kind} = 'pin' then campanile_now() else v.pinned_at end,
        pinned_until = case when o.kind <> 'done' then v.pinned_until
                            when ${kind} = 'pin' then campanile_now() + ${seconds ?? 0} * interval '1 second' end,
        not_before = case when o.kind = 'retry' then campanile_now() + o.wait_ms * interval '1 millisecond'
                          when v.number <> ${number} then v.not_before end,
        attempts = v.attempts + o.tries, error = case when v.number = ${number} then o.reason else v.error end
    from outcome o where v.ctid = o.row and o.kind <> 'absent'`.execute(trx);
}
