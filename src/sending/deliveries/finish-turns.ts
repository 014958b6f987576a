import { execute, readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import { toLedgerWrites, REFUSALS_IN_A_ROW, type LedgerWrites, type FinishedTurn } from './ledger-writes.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { recordSuspects } from './poison-suspects.ts';
import { denyWays } from '../accounts/group-accounts.ts';
import { assignSenders } from './assign-senders.ts';
import type { Turn } from './claim-turns.ts';

/**
 * Records the outcomes of turns: deliveries, run, campaign and lane in one transaction, so that a run is completed once, by the finish
 * that leaves nothing queued. Fencing token: of a turn whose number has moved on, only sent posts are recorded, because they are true;
 * the lane stays with its new holder. Turns of deleted accounts are skipped. A delivery whose account may not post in the group goes to
 * another account that may, and fails only without one. A repeated call changes nothing. Circuit breaker: a campaign
 * is paused in the same transaction if its last deliveries were refused for one reason.
 */
export async function finishTurns(db: Database, finished: readonly FinishedTurn[]): Promise<void> {
  const writes = toLedgerWrites(finished);
  const isDenied = finished.some(hasDenied);
  if (writes.suspects.length === 0 && !isDenied) return callFinish(db, finished, writes);
  await db.transaction().execute(async (trx) => {
    const settled = isDenied ? await reassignDenied(trx, finished) : finished;
    const settledWrites = toLedgerWrites(settled);
    await callFinish(trx, settled, settledWrites);
    if (settledWrites.suspects.length > 0) await recordSuspects(trx, settledWrites.suspects);
  });
}

async function callFinish(db: Connection, finished: readonly FinishedTurn[], { sent, others, refusals }: LedgerWrites) {
  const turns = finished.map((one) => ({
    account_id: one.turn.accountId,
    workspace_id: one.turn.workspaceId,
    turn: one.turn.turn,
    gap_ms: one.gapMs,
    rest_ms: restOf(one),
    unsent: one.outcomes.filter(isUnsent).length,
  }));
  if (refusals.length > 0) {
    await execute(db)`
      select finish_refused_turns(${JSON.stringify(turns)}, ${JSON.stringify(sent)}, ${JSON.stringify(others)},
                                  ${JSON.stringify(refusals)}, ${REFUSALS_IN_A_ROW})`;
    return;
  }
  await execute(db)`
    select finish_turns(${JSON.stringify(turns)}, ${JSON.stringify(sent)}, ${JSON.stringify(others)})`;
}

/** True if the attempt surely did not leave. */
function isUnsent(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'sent':
      return false;
    case 'snooze':
      return true;
    case 'retry':
      return !outcome.uncertain;
    case 'failed':
      return outcome.isUnsent ?? !outcome.uncertain;
    default:
      return outcome satisfies never;
  }
}

function restOf({ outcomes }: FinishedTurn): number {
  return outcomes.reduce((rest, outcome) => (outcome.kind === 'snooze' ? Math.max(rest, outcome.cooldownMs) : rest), 0);
}

/** True if an account may not post to a group of the turn. */
export const hasDenied = ({ outcomes }: FinishedTurn): boolean => outcomes.some(isDenied);

/**
 * Records which groups the accounts of these turns may not post to. Deliveries that surely have not left go to another account of the
 * workspace that may, and their outcome becomes a retry. Returns the turns as they are to be finished in the same transaction, which locks the
 * ledgers and lanes of all of them here.
 */
export async function reassignDenied(trx: Connection, finished: readonly FinishedTurn[]): Promise<FinishedTurn[]> {
  const shared = await lockTurns(trx, finished);
  const denied = finished.filter((one) => shared.has(one.turn) && hasDenied(one));
  await denyWays(
    trx,
    denied.flatMap(({ turn, outcomes }) => deniedOf(turn, outcomes).map((position) => ({ ...turn, position }))),
  );
  const done = new Map<FinishedTurn, FinishedTurn>();
  for (const one of denied) if (shared.get(one.turn)) done.set(one, await reassign(trx, one));
  return finished.map((one) => done.get(one) ?? one);
}

/** Fencing token: returns the turns that are still held. The value says whether several accounts send for the workspace. */
async function lockTurns(trx: Connection, finished: readonly FinishedTurn[]): Promise<Map<Turn, boolean>> {
  const turns = finished.map(({ turn }) => turn);
  await execute(trx)`
    select from workspace_ledgers where workspace_id = any(${turns.map((one) => one.workspaceId)}::bigint[])
    order by workspace_id for no key update`;
  const rows = await readRows<{ ordinal: number; isShared: boolean; isHeld: boolean }>(trx)`
    select i.ordinal, l.turn = i.turn and l.in_hand_run_id is not null as "isHeld",
           exists (select from lanes o where o.workspace_id = l.workspace_id and o.account_id <> l.account_id) as "isShared"
    from unnest(${turns.map((one) => one.accountId)}::bigint[], ${turns.map((one) => one.turn)}::bigint[]) with ordinality
      i (account_id, turn, ordinal)
    join lanes l on l.account_id = i.account_id
    order by l.account_id for no key update of l`;
  const held = new Map(rows.filter(({ isHeld }) => isHeld).map((row) => [row.ordinal, row.isShared]));
  return new Map(
    turns.flatMap((turn, index) => {
      const isShared = held.get(index + 1);
      return isShared === undefined ? [] : [[turn, isShared] as const];
    }),
  );
}

async function reassign(trx: Connection, one: FinishedTurn): Promise<FinishedTurn> {
  const { turn, outcomes } = one;
  const positions = deniedOf(turn, outcomes);
  const given = new Set(
    await assignSenders(trx, {
      workspaceId: turn.workspaceId,
      runId: turn.runId,
      from: turn.accountId,
      passed: [turn.accountId],
      only: positions,
      areInHand: true,
    }),
  );
  const settle = (outcome: Outcome, index: number): Outcome =>
    isDenied(outcome) && given.has(turn.deliveries[index]?.position ?? 0)
      ? { kind: 'retry', waitMs: 0, ...failureOf(outcome), uncertain: false, tries: 0 }
      : outcome;
  return { ...one, outcomes: outcomes.map(settle) };
}

/** The positions of the deliveries whose groups the account may not post to. */
function deniedOf({ deliveries }: Turn, outcomes: readonly Outcome[]): number[] {
  return deliveries.flatMap(({ position }, index) => (isDenied(outcomes[index]) ? [position] : []));
}

function isDenied(outcome: Outcome | undefined): outcome is Extract<Outcome, { kind: 'failed' }> {
  return outcome?.kind === 'failed' && outcome.isAccessDenied === true;
}
