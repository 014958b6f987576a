/**
 * Circuit breaker: a campaign whose last deliveries were refused for good and for one reason is paused, and its owner decides. The finish of
 * the turn does it (`finish_refused_turns.sql`).
 */
import type { Outcome } from './outcome.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** So many deliveries of a campaign in a row (contract §5). */
export const REFUSALS_IN_A_ROW = 3;

/** The refusals at the end of a turn, a row of `finish_refused_turns`. */
export interface Refusals extends TurnRefusals {
  workspace_id: WorkspaceId;
  account_id: AccountId;
  turn: number;
  run_id: number;
}

interface TurnRefusals {
  /** Null: the last delivery of the turn that failed or was sent was not refused. */
  reason: string | null;
  count: number;
  /** All of the turn that was sent or failed: the refusals before the turn belong to the same row. */
  is_all: boolean;
}

/** Returns what a refusal that paused a campaign asks of its owner. */
export function explainPause(refusal: string): string {
  return `${REFUSALS_IN_A_ROW} posts in a row were refused for one reason: ${refusal}. Resume the campaign to send to the other groups, or cancel it`;
}

/** Returns the equal refusals at the end of a turn; undefined if none of its deliveries failed. Deliveries to be tried again are skipped. */
export function findRefusals(outcomes: readonly Outcome[]): TurnRefusals | undefined {
  if (!outcomes.some(({ kind }) => kind === 'failed')) return undefined;
  const ended = outcomes.filter(({ kind }) => kind === 'sent' || kind === 'failed').map(refusalOf);
  const reason = ended.at(-1) ?? null;
  const others = ended.findLastIndex((one) => one !== reason);
  return {
    reason: reason?.toWellFormed() ?? null,
    count: reason === null ? 0 : ended.length - 1 - others,
    is_all: others === -1,
  };
}

function refusalOf(outcome: Outcome): string | null {
  return (outcome.kind === 'failed' ? outcome.refusal : undefined) ?? null;
}
