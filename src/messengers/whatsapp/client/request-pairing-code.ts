import type { WASocket } from 'baileys';
import { NoAnswerError, QueryRejectedError } from './errors.ts';
import { childOf, type Node } from './node.ts';

const ANSWER_MS = 15_000;

/**
 * Requests a code to enter on the phone with this number (digits). Throws QueryRejectedError when WhatsApp gives none: the library
 * resolves when its request has left, and does not listen to the answer.
 */
export async function requestPairingCode(socket: WASocket, phoneNumber: string): Promise<string> {
  const answer = socket.waitForMessage<Node>(tagAfter(socket.generateMessageTag()), ANSWER_MS);
  const [code, answered] = await Promise.all([socket.requestPairingCode(phoneNumber), answer]);
  if (!answered) throw new NoAnswerError();
  const error = childOf(answered, 'error');
  if (error) throw new QueryRejectedError(Number(error.attrs['code']), error.attrs['text'] ?? 'refused');
  return code;
}

/** The library numbers its stanzas, and tells nobody the number of this one. */
function tagAfter(tag: string): string {
  return tag.replace(/\d+$/, (number) => String(Number(number) + 1));
}
