/** Hands one message to WhatsApp, and finds out what became of it. */
import type { Log } from '../../../platform/log/log.ts';
import type { SendResult } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Node } from '../client/node.ts';
import { classifyRejection } from '../failures.ts';
import type { CooldownReason } from '../connect/cooldown.ts';
import type { Holds } from './retry-suppression.ts';

export interface Relaying {
  client: Client;
  log: Log;
  /** How long the answer to a post is waited for, from when it has left. In milliseconds. */
  answerMs: number;
  /** Holds messages that are on their way: what answers them says nothing but their id. */
  holds: Holds;
  /** WhatsApp asks for rest; answers for how long, in milliseconds. */
  cooldown(why: CooldownReason): number;
}

/** What became of a message that was tried. */
export type RelayResult = Exclude<SendResult, { kind: 'later' }>;

export interface Relayed {
  messageId: string;
  recipients: number;
  /** Told the code, when WhatsApp answers the message with one. */
  onRejected?: (code: number) => void;
  /** Told what the acknowledgement says besides. */
  onSent?: (said: Node['attrs']) => void;
}

/** `leave` hands the message over. From there on it may have left; it is sent when WhatsApp has said so, by its very id. */
export async function relay(
  relaying: Relaying,
  { messageId, recipients, onRejected, onSent }: Relayed,
  leave: () => Promise<unknown>,
): Promise<RelayResult> {
  const { client, answerMs, holds, log } = relaying;
  const letGo = holds.hold(messageId);
  const answer = client.awaitAck(messageId);
  try {
    await leave();
    const answered = await answer.within(answerMs);
    if (!answered) return { kind: 'unknown', reason: 'WhatsApp has not acknowledged the post' };
    const { error } = answered.attrs;
    if (error === undefined) {
      onSent?.(answered.attrs);
      return { kind: 'sent', recipients: Math.max(0, recipients) };
    }
    onRejected?.(Number(error));
    return toResult(relaying, Number(error));
  } catch (error) {
    log.warn({ err: error, messageId }, 'a post broke off, its outcome is unknown');
    return { kind: 'unknown', reason: 'The connection broke while the post was being sent' };
  } finally {
    answer.stop();
    letGo();
  }
}

/** What a code in the answer to a post, or to a question that comes before it, means for the try. */
export function toResult({ cooldown }: Pick<Relaying, 'cooldown'>, code: number): RelayResult {
  const refusal = classifyRejection(code);
  switch (refusal.kind) {
    case 'final':
      return refused(refusal.reason);
    case 'passing':
      return { kind: 'refused', reason: refusal.reason, final: false };
    case 'cooldown':
      return { kind: 'offline', reason: refusal.reason, cooldownMs: cooldown(refusal) };
    default:
      return refusal satisfies never;
  }
}

export function refused(reason: string): Extract<SendResult, { kind: 'refused' }> {
  return { kind: 'refused', reason, final: true };
}
