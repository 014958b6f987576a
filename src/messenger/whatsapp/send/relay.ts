/** Hands one message to WhatsApp, and finds out what became of it. */
import type { BinaryNode, WASocket } from 'baileys';
import type { Log } from '../../../lib/log.ts';
import type { SendResult } from '../../messenger.ts';
import { judgeRefusal, refusalOf } from '../failures.ts';
import type { RestReason } from '../connect/rest.ts';

export interface Relaying {
  client: WASocket;
  log: Log;
  /** How long the answer to a post is waited for. */
  answerMs: number;
  /** WhatsApp asks for rest; answers for how long, in milliseconds. */
  rest(why: RestReason): number;
}

/** What became of a message that was tried. */
export type RelayResult = Exclude<SendResult, { kind: 'later' }>;

export interface Relayed {
  messageId: string;
  recipients: number;
  /** Told the code, when WhatsApp answers the message with one. */
  onRefused?: (code: number) => void;
  /** Told what the acknowledgement says besides. */
  onSent?: (said: BinaryNode['attrs']) => void;
}

/** `leave` hands the message over. From there on it may have left; it is sent when WhatsApp has said so, by its very id. */
export async function relay(
  relaying: Relaying,
  { messageId, recipients, onRefused, onSent }: Relayed,
  leave: () => Promise<unknown>,
): Promise<RelayResult> {
  const { client, answerMs, log } = relaying;
  const answer = client.waitForMessage<BinaryNode>(messageId, answerMs).catch((): undefined => undefined);
  try {
    await leave();
  } catch (error) {
    // Refused was a question that comes before the post, such as for the members' keys: it says nothing about the group itself.
    const code = refusalOf(error);
    const result = code === undefined ? undefined : toResult(relaying, code);
    if (result) return result.kind === 'refused' ? { ...result, final: false } : result;
    log.warn({ err: error, messageId }, 'a post broke off, its outcome is unknown');
    return { kind: 'unknown', reason: 'The connection broke while the post was being sent' };
  }
  const answered = await answer;
  if (!answered) return { kind: 'unknown', reason: 'WhatsApp has not acknowledged the post' };
  const { error } = answered.attrs;
  if (error === undefined) {
    onSent?.(answered.attrs);
    return { kind: 'sent', recipients: Math.max(0, recipients) };
  }
  onRefused?.(Number(error));
  return toResult(relaying, Number(error));
}

/** What a code in the answer to a post, or to a question that comes before it, means for the try. */
export function toResult({ rest }: Pick<Relaying, 'rest'>, code: number): RelayResult {
  const refusal = judgeRefusal(code);
  switch (refusal.kind) {
    case 'final':
      return refused(refusal.reason);
    case 'passing':
      return { kind: 'refused', reason: refusal.reason, final: false };
    case 'rest':
      return { kind: 'offline', reason: refusal.reason, restMs: rest(refusal) };
    default:
      return refusal satisfies never;
  }
}

export function refused(reason: string): Extract<SendResult, { kind: 'refused' }> {
  return { kind: 'refused', reason, final: true };
}
