import { describeFailure, toOutcomeUnknown } from '../platform/errors/failures.ts';
import type { Destination, SendResult } from './messenger.ts';

/**
 * Sends one post to a chat whose application does not drop repeated ids (contract §5, channels). A post that may have left is searched
 * for among the chat's recent posts. If it is found, it is sent. If not, it is sent only if its owner asked for that, and otherwise
 * refused as `outcome_unknown`. If the posts cannot be read, it is attempted again later.
 */
export async function sendUnlessThere(
  to: Destination,
  chat: {
    send(): Promise<SendResult>;
    /**
     * Searches the recent posts. Null if the post is not there. `begun` if its first part is there, and the rest has certainly not
     * left, so that it can be sent.
     */
    find(): Promise<{ recipients: number | null } | 'begun' | null>;
  },
): Promise<SendResult> {
  if (!to.uncertain) return chat.send();
  let found;
  try {
    found = await chat.find();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'refused', ...describeFailure('posts_unread', { why }), final: false };
  }
  if (found === 'begun') return chat.send();
  if (found) return { kind: 'sent', recipients: found.recipients };
  if (to.resend) return chat.send();
  return { kind: 'refused', ...toOutcomeUnknown(describeFailure('not_found')), final: true };
}
