/** Converts and encrypts a file for WhatsApp, and builds its message. */
import { createHash } from 'node:crypto';
import { kindOf, type MediaKind } from '../../../content/media/sniff.ts';
import type { PostMedia } from '../../messenger.ts';
import type { Message } from '../client/message.ts';
import { encryptFile, piecesOf, type ReadPieces } from './encrypt-file.ts';
import { prepareForDelivery, type Picture } from '../../../content/media/pictures.ts';
import { prepareCardPicture } from './prepare-card-picture.ts';
import { stripPicture } from './strip-picture.ts';
import type { PreparedFile } from './prepared-file.ts';
import type { UploadAnswer } from './upload-file.ts';
import type { UploadKey } from './uploads-table.ts';

/** A file as members get it. */
interface Shown {
  kind: MediaKind;
  mime: string;
  pieces: ReadPieces;
  /** In bytes. */
  size: number;
  sha256: Buffer;
  picture: Picture | undefined;
  movie: PostMedia['movie'];
  /** Of a film: a small JPEG. */
  thumbnail: Buffer | undefined;
}

/** Only their metadata is stripped. Other pictures are converted to JPEG, as in WhatsApp's own clients. */
const KEPT_FORMATS = new Set(['image/jpeg', 'image/png']);

export async function prepareFile(
  media: PostMedia,
  { target, accountId }: Pick<UploadKey, 'target' | 'accountId'>,
): Promise<PreparedFile> {
  if (target === 'chat cards') return prepareCardPicture(media, 'chats', accountId);
  if (target === 'channel cards') return prepareCardPicture(media, 'channels', accountId);
  const shown = await toShown(media, accountId);
  const { kind, pieces, size, sha256 } = shown;
  if (target === 'channels') {
    const file = { path: `/newsletter/newsletter-${kind}`, pieces, size, sha256 };
    return { file, describe: (answer) => describe(shown, locationOf(answer)) };
  }
  const encrypted = await encryptFile(pieces, kind);
  const keys = {
    mediaKey: encrypted.mediaKey,
    fileEncSha256: encrypted.sha256,
    mediaKeyTimestamp: Math.floor(Date.now() / 1_000),
  };
  return {
    file: { path: `/mms/${kind}`, pieces: encrypted.pieces, size: encrypted.size, sha256: encrypted.sha256 },
    describe: (answer) => describe(shown, { ...keys, ...locationOf(answer) }),
  };
}

/** A picture that phones do not show as one, such as an animated one, becomes a document and stays complete. */
async function toShown(media: PostMedia, accountId: number): Promise<Shown> {
  const { mime, size, sha256, movie } = media;
  const kind = kindOf(mime);
  const asItIs = {
    kind,
    mime,
    pieces: () => media.pieces(),
    size,
    sha256,
    movie,
    picture: undefined,
    thumbnail: undefined,
  };
  if (media.still && kind === 'video')
    return { ...asItIs, thumbnail: (await prepareForDelivery(media.still, { accountId }))?.thumbnail };
  // Other files may be large, and are never in memory as a whole.
  if (kind !== 'image') return asItIs;
  const bytes = await media.load();
  const asJpeg = !KEPT_FORMATS.has(mime);
  const picture = await prepareForDelivery(bytes, { accountId, asJpeg });
  if (!asJpeg) {
    const stripped = stripPicture(bytes, mime, picture?.orientation);
    return { ...asItIs, picture, ...(stripped && inMemory(stripped)) };
  }
  const jpeg = picture?.jpeg;
  if (!jpeg) return { ...asItIs, kind: 'document' };
  return { ...asItIs, mime: 'image/jpeg', ...inMemory(jpeg), picture };
}

function inMemory(bytes: Buffer): Pick<Shown, 'pieces' | 'size' | 'sha256'> {
  const sha256 = createHash('sha256').update(bytes).digest();
  return { pieces: () => piecesOf(bytes), size: bytes.length, sha256 };
}

type FileLocation = Pick<
  NonNullable<Message['imageMessage']>,
  'url' | 'directPath' | 'mediaKey' | 'fileEncSha256' | 'mediaKeyTimestamp'
>;

const locationOf = ({ url, directPath }: UploadAnswer): FileLocation => ({
  directPath,
  ...(url !== undefined && { url }),
});

function describe({ kind, mime, size, sha256, picture, movie, thumbnail }: Shown, location: FileLocation): Message {
  const file = { ...location, mimetype: mime, fileSha256: sha256, fileLength: size };
  switch (kind) {
    case 'image':
      return { imageMessage: { ...file, ...(picture && describePicture(picture)) } };
    case 'video':
      return {
        videoMessage: {
          ...file,
          ...(movie && describeMovie(movie)),
          ...(thumbnail && { jpegThumbnail: thumbnail }),
        },
      };
    case 'audio':
      return { audioMessage: file };
    case 'document':
      return { documentMessage: file };
    default:
      return kind satisfies never;
  }
}

/** Without these a film is a grey square. */
function describeMovie({ width, height, seconds }: NonNullable<Shown['movie']>) {
  return { width, height, ...(seconds !== null && { seconds }) };
}

function describePicture({ width, height, thumbnail }: Picture) {
  return { width, height, ...(thumbnail && { jpegThumbnail: thumbnail }) };
}
