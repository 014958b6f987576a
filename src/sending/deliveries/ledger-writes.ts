import type { ClaimedDelivery, Turn } from './claim-turns.ts';
import type { SuspectRecord } from './poison-suspects.ts';
import type { Outcome } from './outcome.ts';

/** A turn that has been sent, or given up. */
export interface FinishedTurn {
  turn: Turn;
  /** One a delivery of the turn, in its order. */
  outcomes: Outcome[];
  /** How long the account must wait from now before its next send, in milliseconds. */
  gapMs: number;
}

/** What finished turns come to in the ledger. */
export interface Effects {
  /** Deliveries that were sent, nearly always all of a turn: told by where they begin and end, so that they are found together. */
  sent: Stretch[];
  /** They count only while the turn is held. */
  others: Effect[];
  /** Of the few that have any and stay queued. They too count only while the turn is held. */
  suspects: SuspectRecord[];
}

/** Deliveries of one run that follow each other without a gap. */
export interface Stretch {
  account_id: number;
  turn: number;
  run_id: number;
  first: number;
  last: number;
  /** One a delivery. */
  recipients: number[];
}

/** What became of a delivery that was not sent; as `Stretch` a row of `finish_turns`, which refuses half a character. */
export interface Effect {
  account_id: number;
  turn: number;
  run_id: number;
  position: number;
  status: 'failed' | 'retry';
  wait_ms: number;
  tries: number;
  error: string | null;
  uncertain: boolean;
}

export function toLedgerWrites(finished: readonly FinishedTurn[]): Effects {
  const effects: Effects = { sent: [], others: [], suspects: [] };
  for (const one of finished) addEffects(effects, one);
  return effects;
}

function addEffects(effects: Effects, { turn, outcomes }: FinishedTurn): void {
  // What was not tried stays as it is when nothing behind it was; otherwise it steps aside, so that the run's place can move on.
  const lastAttempted = outcomes.findLastIndex((outcome) => outcome.kind !== 'snooze');
  let stretch: Stretch | undefined;
  turn.deliveries.forEach((delivery, index) => {
    const outcome = outcomes[index];
    if (!outcome) return;
    if (delivery.resend || delivery.interruptedAttempts > 0) addSuspect(effects, turn, delivery, outcome);
    if (index > lastAttempted) return;
    if (outcome.kind !== 'sent') {
      effects.others.push(toEffect(turn, delivery, outcome));
      return;
    }
    const { position } = delivery;
    if (stretch?.last !== position - 1) {
      stretch = { ...keysOf(turn), first: position, last: position, recipients: [] };
      effects.sent.push(stretch);
    }
    stretch.last = position;
    stretch.recipients.push(outcome.recipients);
  });
}

function keysOf({ accountId, turn, runId }: Turn) {
  return { account_id: accountId, turn, run_id: runId };
}

function toEffect(turn: Turn, delivery: ClaimedDelivery, outcome: Exclude<Outcome, { kind: 'sent' }>): Effect {
  const base = { ...keysOf(turn), position: delivery.position, wait_ms: 0, tries: 1, error: null };
  switch (outcome.kind) {
    case 'failed':
      return { ...base, status: 'failed', error: outcome.reason.toWellFormed(), uncertain: outcome.uncertain };
    case 'retry': {
      const uncertain = outcome.uncertain || delivery.uncertain;
      const { waitMs, reason, tries = 1 } = outcome;
      return { ...base, status: 'retry', wait_ms: waitMs, tries, error: reason.toWellFormed(), uncertain };
    }
    case 'snooze':
      return { ...base, status: 'retry', tries: 0, uncertain: delivery.uncertain };
    default:
      return outcome satisfies never;
  }
}

function addSuspect(
  { suspects }: Effects,
  { accountId, turn, runId }: Turn,
  delivery: ClaimedDelivery,
  outcome: Outcome,
): void {
  const { position, resend, interruptedAttempts } = delivery;
  const base = { accountId, turn, runId, position };
  // A suspect's try is counted before it begins: if it was not made after all, that is taken back.
  if (outcome.kind === 'snooze') suspects.push({ ...base, resend, interruptedAttempts });
  // A try that came to an end is not what breaks workers. To be sent again was asked for once: what may have left by that is
  // looked for, and not sent a third time.
  else if (outcome.kind === 'retry')
    suspects.push({ ...base, resend: resend && !outcome.uncertain, interruptedAttempts: 0 });
}
