import type { ClaimedDelivery, Turn } from './claim-turns.ts';
import type { SuspectRecord } from './poison-suspects.ts';
import type { Outcome } from './outcome.ts';
import type { Failure, FailureCode, FailureParams } from '../../platform/errors/failures.ts';

/** A turn that has been sent, or given up. */
export interface FinishedTurn {
  turn: Turn;
  /** One a delivery of the turn, in its order. */
  outcomes: Outcome[];
  /** How long the account must wait from now before its next send, in milliseconds. */
  gapMs: number;
}

/** What finished turns come to in the ledger. */
export interface LedgerWrites {
  /** Deliveries that were sent, nearly always all of a turn: told by where they begin and end, so that they are found together. */
  sent: SentRange[];
  /** They count only while the turn is held. */
  others: UnsentWrite[];
  /** Of the few that have any and stay queued. They too count only while the turn is held. */
  suspects: SuspectRecord[];
  /** Of the few turns in which a delivery failed. They too count only while the turn is held. */
  refusals: Refusals[];
}

/** Deliveries of one run that follow each other without a gap. */
export interface SentRange extends TurnKeys {
  first: number;
  last: number;
  /** One a delivery; null: what the ledger knows of the group counts. */
  recipients: Array<number | null>;
}

/** The outcome of a delivery that was not sent. As `SentRange`, a row of `finish_turns`, which rejects lone surrogates. */
export interface UnsentWrite extends TurnKeys {
  position: number;
  status: 'failed' | 'retry';
  wait_ms: number;
  tries: number;
  error: string | null;
  error_code: FailureCode | null;
  error_params: FailureParams | null;
  uncertain: boolean;
}

export function toLedgerWrites(finished: readonly FinishedTurn[]): LedgerWrites {
  const writes: LedgerWrites = { sent: [], others: [], suspects: [], refusals: [] };
  for (const one of finished) addWrites(writes, one);
  return writes;
}

function addWrites(writes: LedgerWrites, { turn, outcomes }: FinishedTurn): void {
  const refusals = findRefusals(outcomes);
  if (refusals) writes.refusals.push({ ...keysOf(turn), ...refusals });
  // Deliveries at the end that were not attempted stay as they are. Earlier ones become retries, so that the run's next position can move
  // on.
  const lastAttempted = outcomes.findLastIndex((outcome) => outcome.kind !== 'snooze');
  let range: SentRange | undefined;
  turn.deliveries.forEach((delivery, index) => {
    const outcome = outcomes[index];
    if (!outcome) return;
    if (delivery.resend || delivery.interruptedAttempts > 0) addSuspect(writes, turn, delivery, outcome);
    if (index > lastAttempted) return;
    if (outcome.kind !== 'sent') {
      writes.others.push(toUnsentWrite(turn, delivery, outcome));
      return;
    }
    const { position } = delivery;
    if (range?.last !== position - 1) {
      range = { ...keysOf(turn), first: position, last: position, recipients: [] };
      writes.sent.push(range);
    }
    range.last = position;
    range.recipients.push(outcome.recipients);
  });
}

/** The turn and its run, as the rows of `finish_turns` name them. */
type TurnKeys = ReturnType<typeof keysOf>;

function keysOf({ workspaceId, accountId, turn, runId }: Turn) {
  return { workspace_id: workspaceId, account_id: accountId, turn, run_id: runId };
}

function toUnsentWrite(
  turn: Turn,
  delivery: ClaimedDelivery,
  outcome: Exclude<Outcome, { kind: 'sent' }>,
): UnsentWrite {
  const base = { ...keysOf(turn), position: delivery.position, wait_ms: 0, tries: 1 };
  switch (outcome.kind) {
    case 'failed':
      return { ...base, status: 'failed', ...errorOf(outcome), uncertain: outcome.uncertain };
    case 'retry': {
      const uncertain = outcome.uncertain || delivery.uncertain;
      const { waitMs, tries = 1 } = outcome;
      return { ...base, status: 'retry', wait_ms: waitMs, tries, ...errorOf(outcome), uncertain };
    }
    case 'snooze':
      return { ...base, status: 'retry', tries: 0, ...NO_ERROR, uncertain: delivery.uncertain };
    default:
      return outcome satisfies never;
  }
}

const NO_ERROR = { error: null, error_code: null, error_params: null };

function errorOf({ reason, code = 'other', params }: Failure) {
  return { error: reason.toWellFormed(), error_code: code, error_params: params ?? null };
}

function addSuspect(
  { suspects }: LedgerWrites,
  { workspaceId, accountId, turn, runId }: Turn,
  delivery: ClaimedDelivery,
  outcome: Outcome,
): void {
  const { position, resend, interruptedAttempts } = delivery;
  const base = { workspaceId, accountId, turn, runId, position };
  // A suspect's try is counted before it begins: if it was not made after all, that is taken back.
  if (outcome.kind === 'snooze') suspects.push({ ...base, resend, interruptedAttempts });
  // A try that came to an end is not what breaks workers. To be sent again was asked for once: what may have left by that is
  // looked for, and not sent a third time.
  else if (outcome.kind === 'retry')
    suspects.push({ ...base, resend: resend && !outcome.uncertain, interruptedAttempts: 0 });
}

/**
 * Circuit breaker: a campaign of which so many deliveries in a row were refused for good and for one reason is paused, and its owner decides
 * (contract §5). The finish of the turn does it (`finish_refused_turns.sql`).
 */
export const REFUSALS_IN_A_ROW = 3;

/** The refusals at the end of a turn, a row of `finish_refused_turns`. */
export interface Refusals extends TurnKeys, TurnRefusals {}

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
  const ended = outcomes.flatMap((outcome) =>
    outcome.kind === 'failed' ? [outcome.refusal ?? null] : outcome.kind === 'sent' ? [null] : [],
  );
  const reason = ended.at(-1) ?? null;
  const others = ended.findLastIndex((one) => one !== reason);
  return {
    reason: reason?.toWellFormed() ?? null,
    count: reason === null ? 0 : ended.length - 1 - others,
    is_all: others === -1,
  };
}
