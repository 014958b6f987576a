/** Converts and encrypts a file for WhatsApp, and builds its message. */
import { createHash } from 'node:crypto';
import { kindOf, type MediaKind } from '../../../content/media/sniff.ts';
import type { PostMedia } from '../../messenger.ts';
import type { Message } from '../client/message.ts';
import { piecesOf, toUpload, type FileContent } from './encrypt-file.ts';
import { prepareForDelivery, type Picture } from '../../../content/media/pictures.ts';
import { stripFilm } from './strip-film.ts';
import { stripPicture } from './strip-picture.ts';
import type { FileToUpload, UploadAnswer } from './upload-file.ts';
import type { UploadKey } from './uploads-table.ts';

/** A file that is converted and encrypted for WhatsApp. */
interface PreparedFile {
  file: FileToUpload;
  /** The message without a caption, for the uploaded file. */
  describe(answer: UploadAnswer): Message;
}

/** A file as members get it. */
interface Shown extends FileContent {
  kind: MediaKind;
  mime: string;
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
  const { file, keys } = await toUpload({ pieces, size, sha256 }, kind, target === 'channels');
  const encryption = keys && { ...keys, fileEncSha256: file.sha256 };
  return { file, describe: (answer) => describe(shown, { ...encryption, ...locationOf(answer) }) };
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
  if (kind === 'video' || mime === 'audio/mp4') {
    const still = media.still && (await prepareForDelivery(media.still, { accountId }));
    return { ...asItIs, ...(await stripFilm(media)), thumbnail: still?.thumbnail };
  }
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

function inMemory(bytes: Buffer): FileContent {
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

/** The picture of a link preview: a small one in the message, and the file that phones load. */
async function prepareCardPicture(
  media: PostMedia,
  place: 'chats' | 'channels',
  accountId: number,
): Promise<PreparedFile> {
  const bytes = await media.load();
  const { size, sha256 } = media;
  const { width = 0, height = 0, thumbnail } = (await prepareForDelivery(bytes, { accountId })) ?? {};
  const shown = {
    ...(thumbnail && { jpegThumbnail: thumbnail }),
    thumbnailSha256: sha256,
    thumbnailWidth: width,
    thumbnailHeight: height,
  };
  const source = { pieces: () => piecesOf(bytes), size, sha256 };
  const { file, keys } = await toUpload(source, 'thumbnail-link', place === 'channels');
  const card = { ...shown, ...(keys && { ...keys, thumbnailEncSha256: file.sha256 }) };
  return {
    file,
    describe: ({ directPath }) => ({ extendedTextMessage: { ...card, thumbnailDirectPath: directPath } }),
  };
}
