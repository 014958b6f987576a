/** Converts and encrypts a file for WhatsApp, and builds its message. */
import { createHash } from 'node:crypto';
import { kindOf, type MediaKind } from '../../../content/media/sniff.ts';
import type { PostMedia } from '../../messenger.ts';
import type { Message } from '../client/message.ts';
import { encryptFile } from './encrypt-file.ts';
import { convertToJpeg, readPictureInfo, type Picture } from '../../../content/media/pictures.ts';
import { prepareCardPicture } from './prepare-card-picture.ts';
import { stripPicture } from './strip-picture.ts';
import type { PreparedFile } from './prepared-file.ts';
import type { UploadAnswer } from './upload-file.ts';
import type { UploadTarget } from './uploads-table.ts';

/** A file as members get it. */
interface Shown {
  kind: MediaKind;
  mime: string;
  bytes: Buffer;
  sha256: Buffer;
  picture: Picture | undefined;
}

/** Only their metadata is stripped. Other pictures are converted to JPEG, as in WhatsApp's own clients. */
const KEPT_FORMATS = new Set(['image/jpeg', 'image/png']);

export async function prepareFile(media: PostMedia, target: UploadTarget): Promise<PreparedFile> {
  if (target === 'chat cards') return prepareCardPicture(media, 'chats');
  if (target === 'channel cards') return prepareCardPicture(media, 'channels');
  const shown = await toShown(media);
  const { kind, bytes, sha256 } = shown;
  if (target === 'channels') {
    const file = { path: `/newsletter/newsletter-${kind}`, bytes, sha256 };
    return { file, describe: (answer) => describe(shown, locationOf(answer)) };
  }
  const encrypted = await encryptFile(bytes, kind);
  const keys = {
    mediaKey: encrypted.mediaKey,
    fileEncSha256: encrypted.sha256,
    mediaKeyTimestamp: Math.floor(Date.now() / 1_000),
  };
  return {
    file: { path: `/mms/${kind}`, bytes: encrypted.bytes, sha256: encrypted.sha256 },
    describe: (answer) => describe(shown, { ...keys, ...locationOf(answer) }),
  };
}

/** A picture that phones do not show as one, such as an animated one, becomes a document and stays complete. */
async function toShown(media: PostMedia): Promise<Shown> {
  const { mime, sha256 } = media;
  const bytes = await media.load();
  const kind = kindOf(mime);
  const asItIs = { kind, mime, bytes, sha256, picture: undefined };
  if (kind !== 'image') return asItIs;
  const picture = await readPictureInfo(bytes);
  if (KEPT_FORMATS.has(mime)) {
    const stripped = stripPicture(bytes, mime, picture?.orientation);
    return { ...asItIs, picture, ...(stripped && { bytes: stripped, sha256: hashOf(stripped) }) };
  }
  const jpeg = picture && !picture.isAnimated ? await convertToJpeg(bytes) : undefined;
  if (!jpeg) return { ...asItIs, kind: 'document' };
  return { kind, mime: 'image/jpeg', bytes: jpeg, sha256: hashOf(jpeg), picture };
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

type FileLocation = Pick<
  NonNullable<Message['imageMessage']>,
  'url' | 'directPath' | 'mediaKey' | 'fileEncSha256' | 'mediaKeyTimestamp'
>;

const locationOf = ({ url, directPath }: UploadAnswer): FileLocation => ({
  directPath,
  ...(url !== undefined && { url }),
});

function describe({ kind, mime, bytes, sha256, picture }: Shown, location: FileLocation): Message {
  const file = { ...location, mimetype: mime, fileSha256: sha256, fileLength: bytes.length };
  switch (kind) {
    case 'image':
      return { imageMessage: { ...file, ...(picture && describePicture(picture)) } };
    case 'video':
      return { videoMessage: file };
    case 'audio':
      return { audioMessage: file };
    case 'document':
      return { documentMessage: file };
    default:
      return kind satisfies never;
  }
}

function describePicture({ width, height, thumbnail }: Picture) {
  return { width, height, ...(thumbnail && { jpegThumbnail: thumbnail }) };
}
