/** The picture of a link preview: a small one in the message, and the file that phones load. */
import type { PostMedia } from '../../messenger.ts';
import { prepareForDelivery } from '../../../content/media/pictures.ts';
import { encryptFile, piecesOf } from './encrypt-file.ts';
import type { PreparedFile } from './prepared-file.ts';

const KIND = 'thumbnail-link';

/** In a channel the file is not encrypted. */
export async function prepareCardPicture(
  media: PostMedia,
  place: 'chats' | 'channels',
  accountId: number,
): Promise<PreparedFile> {
  const bytes = await media.load();
  const { size, sha256 } = media;
  const pieces = () => piecesOf(bytes);
  const { width = 0, height = 0, thumbnail } = (await prepareForDelivery(bytes, { accountId })) ?? {};
  const shown = {
    ...(thumbnail && { jpegThumbnail: thumbnail }),
    thumbnailSha256: sha256,
    thumbnailWidth: width,
    thumbnailHeight: height,
  };
  if (place === 'channels') {
    const file = { path: `/newsletter/newsletter-${KIND}`, pieces, size, sha256 };
    return {
      file,
      describe: ({ directPath }) => ({ extendedTextMessage: { ...shown, thumbnailDirectPath: directPath } }),
    };
  }
  const encrypted = await encryptFile(pieces, KIND);
  const keys = {
    mediaKey: encrypted.mediaKey,
    mediaKeyTimestamp: Math.floor(Date.now() / 1_000),
    thumbnailEncSha256: encrypted.sha256,
  };
  return {
    file: { path: `/mms/${KIND}`, pieces: encrypted.pieces, size: encrypted.size, sha256: encrypted.sha256 },
    describe: ({ directPath }) => ({ extendedTextMessage: { ...shown, ...keys, thumbnailDirectPath: directPath } }),
  };
}
