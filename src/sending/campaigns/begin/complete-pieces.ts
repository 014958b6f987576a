import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { FollowUp } from '../../../content/post/post-extras.ts';
import { assignSenders } from '../../deliveries/assign-senders.ts';
import { skipReaders } from './skip-readers.ts';

/** Deliveries that were just written, by their positions, of which more is to be decided. */
export interface BegunPiece {
  accountId: number;
  runId: number;
  /** Null: not a follow-up. */
  followUp: FollowUp | null;
  /** Several accounts send for the workspace. */
  isShared: boolean;
  first: number;
  last: number;
}

/**
 * Selects pieces as `BegunPiece` from `runs`, a relation with `account_id`, `run_id` and `extras` that `first` and `last` know as `p`. Nearly
 * all runs need nothing more, and are left out.
 */
export const selectPieces = (
  runs: RawBuilder<unknown>,
  { first, last }: { first: RawBuilder<unknown>; last: RawBuilder<unknown> },
): RawBuilder<BegunPiece> => sql`
  select * from (
    select p.account_id as "accountId", p.run_id as "runId", p.extras -> 'followUp' as "followUp", ${first} as first, ${last} as last,
           exists (select from lanes o where o.ledger_id = p.account_id and o.account_id <> p.account_id) as "isShared"
    from ${runs} p) k
  where k."followUp" is not null or k."isShared"`;

/** Decides what pieces say beyond their groups: who sends, and which groups of a follow-up are left out. The lanes must be locked. */
export async function completePieces(trx: Connection, pieces: readonly BegunPiece[]): Promise<void> {
  for (const piece of pieces) if (piece.isShared) await assignSenders(trx, { ledgerId: piece.accountId, ...piece });
  await skipReaders(
    trx,
    pieces.flatMap(({ followUp, ...piece }) => (followUp ? [{ ...piece, followUp }] : [])),
  );
}
