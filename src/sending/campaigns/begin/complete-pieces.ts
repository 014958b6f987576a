import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { FollowUp } from '../../../content/post/post-extras.ts';
import { assignSenders } from '../../deliveries/assign-senders.ts';
import { skipReaders } from './skip-readers.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** Deliveries that were just written, by their positions, of which more is to be decided. */
export interface BegunPiece {
  workspaceId: WorkspaceId;
  runId: number;
  /** Null: not a follow-up. */
  followUp: FollowUp | null;
  /** Several accounts send for the workspace. */
  isShared: boolean;
  first: number;
  last: number;
}

/**
 * Selects pieces as `BegunPiece` from `runs`, a relation with `workspace_id`, `run_id` and `extras` that `first` and `last` know as `p`. Nearly
 * all runs need nothing more, and are left out.
 */
export const selectPieces = (
  runs: RawBuilder<unknown>,
  { first, last }: { first: RawBuilder<unknown>; last: RawBuilder<unknown> },
): RawBuilder<BegunPiece> => sql`
  select * from (
    select p.workspace_id as "workspaceId", p.run_id as "runId", p.extras -> 'followUp' as "followUp", ${first} as first, ${last} as last,
           (select count(*) from lanes o where o.workspace_id = p.workspace_id) > 1 as "isShared"
    from ${runs} p) k
  where k."followUp" is not null or k."isShared"`;

/**
 * Decides what pieces say beyond their groups: who sends, and which groups of a follow-up are left out. The ledgers must be locked.
 * `timeZone` is the installation's; UTC unless given.
 */
export async function completePieces(trx: Connection, pieces: readonly BegunPiece[], timeZone?: string): Promise<void> {
  for (const piece of pieces) if (piece.isShared) await assignSenders(trx, { ...piece, timeZone });
  await skipReaders(
    trx,
    pieces.flatMap(({ followUp, ...piece }) => (followUp ? [{ ...piece, followUp }] : [])),
  );
}
