import { NotUploadedError } from '../files/upload-cache.ts';
import type { Uploaded } from '../files/uploads-table.ts';
import type { Sending } from './sending.ts';
import type { PostPart } from './split-post.ts';

/**
 * Uploads the file of a part, or the picture of its card. Undefined if it has none, or WhatsApp rejects the picture of the card, which is then shown
 * without. Throws NotUploadedError otherwise: a picture that cannot be uploaded yet is waited for, so that all groups see the same.
 */
export async function uploadPart(
  sending: Pick<Sending, 'upload' | 'log'>,
  { media, card, messageId }: PostPart,
  place: 'chats' | 'channels',
): Promise<Uploaded | undefined> {
  if (media) return sending.upload(media, place);
  if (!card?.picture) return undefined;
  try {
    return await sending.upload(card.picture, place === 'chats' ? 'chat cards' : 'channel cards');
  } catch (error) {
    if (!(error instanceof NotUploadedError) || error.result.kind !== 'refused') throw error;
    sending.log.warn({ err: error, messageId }, 'a link preview leaves without its picture');
    return undefined;
  }
}
