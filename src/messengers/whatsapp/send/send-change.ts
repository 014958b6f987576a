/** A change of a post in a group is a message of its own to all members. */
import { randomBytes } from 'node:crypto';
import type { RevisionResult, SendResult } from '../../messenger.ts';
import { encodeMessage, type Message } from '../client/message.ts';
import { editedIn, withSecret } from '../connect/message-secret.ts';
import { sendToMembers } from './send-to-members.ts';
import type { Sending } from './sending.ts';

/** `edit`: the attribute of the stanza, by which the server and phones tell a change from a post. */
export async function sendChange(
  sending: Sending,
  { chatId, message, edit }: { chatId: string; message: Message; edit: string },
): Promise<RevisionResult> {
  // A new id each time: phones drop a repeated id, and this may be another change.
  const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
  const edits = editedIn(message);
  const key = await sending.storeMessage({ messageId: id, chatId, message: encodeMessage(message), edits });
  const sealed = withSecret(key, message, id);
  return toRevision(
    await sendToMembers(sending, { chatId, messageId: id, message: sealed, attributes: { edit }, recipients: 0 }),
  );
}

export function toRevision(result: SendResult): RevisionResult {
  if (result.kind === 'sent') return { kind: 'done' };
  return result.kind === 'later' ? { kind: 'unknown', reason: result.reason } : result;
}
