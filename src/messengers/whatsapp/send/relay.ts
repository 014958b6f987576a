/** Hands one message to WhatsApp, and waits for its acknowledgement. */
import type { Log } from '../../../platform/log/log.ts';
import { describeFailure, toOutcomeUnknown, type Failure } from '../../../platform/errors/failures.ts';
import type { SendResult } from '../../messenger.ts';
import type { Client, PendingAck } from '../client/client.ts';
import type { Node } from '../client/node.ts';
import { classifyRejection } from '../failures.ts';
import type { CooldownReason } from '../connect/cooldown.ts';
import type { RetrySuppression } from './retry-suppression.ts';

export interface Relaying {
  client: Client;
  log: Log;
  /** How long the acknowledgement may take after the message has left, in milliseconds. */
  answerMs: number;
  /** RetrySuppression messages that are on their way: what answers them says nothing but their id. */
  retrySuppression: RetrySuppression;
  /** Begins a cool-down that WhatsApp asked for. Returns its length in milliseconds. */
  cooldown(why: CooldownReason): number;
}

/** The result of one attempt. */
export type RelayResult = Exclude<SendResult, { kind: 'later' }>;

export interface Relayed {
  messageId: string;
  recipients: number | null;
  /** Called with the code when WhatsApp rejects the message. */
  onRejected?: (code: number) => void;
  /** Called with the attributes of the acknowledgement. */
  onSent?: (attrs: Node['attrs']) => void;
  /** Called when the acknowledgement has not come in time, and may still come. The callee stops listening. */
  onUnanswered?: (answer: PendingAck) => void;
}

/** `leave` hands the message over. After that it may have left, and it is `sent` when WhatsApp has acknowledged its id. */
export async function relay(relaying: Relaying, relayed: Relayed, leave: () => Promise<unknown>): Promise<RelayResult> {
  const { client, answerMs, retrySuppression, log } = relaying;
  const { messageId, onUnanswered } = relayed;
  const resumeRetries = retrySuppression.suppress(messageId);
  const answer = client.awaitAck(messageId);
  let isHandedOver = false;
  try {
    await leave();
    const answered = await answer.within(answerMs);
    if (answered) return readAck(relaying, relayed, answered);
    if (client.isOpen && onUnanswered) {
      isHandedOver = true;
      onUnanswered(answer);
    }
    return { kind: 'unknown', ...describeFailure('not_acknowledged') };
  } catch (error) {
    log.warn({ err: error, messageId }, 'a post broke off, its outcome is unknown');
    return { kind: 'unknown', ...describeFailure('connection_broke') };
  } finally {
    if (!isHandedOver) answer.stop();
    resumeRetries();
  }
}

/** The result of a message with this acknowledgement. */
export function readAck(
  relaying: Pick<Relaying, 'cooldown'>,
  { recipients, onRejected, onSent }: Relayed,
  { attrs }: Node,
): RelayResult {
  const { error } = attrs;
  if (error === undefined) {
    onSent?.(attrs);
    return { kind: 'sent', recipients: recipients === null ? null : Math.max(0, recipients) };
  }
  onRejected?.(Number(error));
  return toResult(relaying, Number(error));
}

/** The result of an attempt whose message, or a query before it, was rejected with this code. */
export function toResult({ cooldown }: Pick<Relaying, 'cooldown'>, code: number): RelayResult {
  const refusal = classifyRejection(code);
  switch (refusal.kind) {
    case 'final':
      return { ...refusal, kind: 'refused', final: true };
    case 'passing':
      return { ...refusal, kind: 'refused', final: false };
    case 'cooldown':
      return { kind: 'offline', reason: refusal.reason, cooldownMs: cooldown(refusal) };
    default:
      return refusal satisfies never;
  }
}

export function refused(
  why: Failure | string,
  { isAccessDenied = false }: { isAccessDenied?: boolean } = {},
): Extract<SendResult, { kind: 'refused' }> {
  const failure = typeof why === 'string' ? { reason: why } : why;
  return { kind: 'refused', ...failure, final: true, ...(isAccessDenied && { isAccessDenied }) };
}

/** Returns the result of a post of which a part is there, by the result of the part that followed. No other account may send it again. */
export function partlySent(rest: Exclude<SendResult, { kind: 'sent' }>): SendResult {
  const failure = describeFailure('part_sent', { rest: rest.reason });
  return rest.kind === 'refused' && rest.final ? refused(toOutcomeUnknown(failure)) : { kind: 'unknown', ...failure };
}
