import { OUTCOME_UNKNOWN, type Destination, type SendResult } from './messenger.ts';

/**
 * Sends one post to a chat whose messaging application does not drop repeated ids (contract §5, channels). What may have left
 * already is looked for among the chat's recent posts: found means sent. What is not there is sent only if its owner asked for
 * that, and otherwise refused for good as of unknown outcome. Where the posts cannot be read the look is tried again later.
 */
export async function sendUnlessThere(
  to: Destination,
  chat: {
    send(): Promise<SendResult>;
    /**
     * Whether the post is among the recent ones, and at how many it is aimed; null: it is not there. `begun`: its first part is
     * there, and the rest is known not to have left, so that it can be sent.
     */
    find(): Promise<{ recipients: number } | 'begun' | null>;
  },
): Promise<SendResult> {
  if (!to.uncertain) return chat.send();
  let found;
  try {
    found = await chat.find();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'refused', reason: `the recent posts could not be read: ${why}`, final: false };
  }
  if (found === 'begun') return chat.send();
  if (found) return { kind: 'sent', recipients: found.recipients };
  if (to.resend) return chat.send();
  return { kind: 'refused', reason: `${OUTCOME_UNKNOWN}: it was not found among the recent posts`, final: true };
}
