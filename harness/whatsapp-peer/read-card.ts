/** Shows the link preview of a post as a phone does, and checks it against what phones expect. */
import type { proto } from 'baileys';
import type { Upload } from './media-host.ts';
import { openUpload } from './read-media.ts';
import type { PeerState } from './state.ts';

/** A link preview as its receiver sees it. */
export interface ShownCard {
  url: string;
  title: string;
  description: string;
  /** The small picture in the message itself. */
  thumbnail: Buffer | undefined;
  /** The picture that the phone loads. */
  picture: Buffer | undefined;
  width: number | undefined;
  height: number | undefined;
}

const LARGEST_THUMBNAIL = 16 * 1024;

export const hasCard = ({ extendedTextMessage: said }: proto.IMessage): boolean =>
  Boolean(said?.matchedText || said?.title);

/** Undefined if there is none. Throws if phones would show a broken one, or none at all. */
export function readCard(state: PeerState, message: proto.IMessage, place: Upload['place']): ShownCard | undefined {
  const said = message.extendedTextMessage;
  if (!said || !hasCard(message)) return undefined;
  const { text, matchedText, title, description, previewType, jpegThumbnail } = said;
  if (!matchedText || !text?.includes(matchedText)) throw new Error('a link preview of a link that is not in the text');
  if (!title) throw new Error('a link preview without a title');
  if (previewType !== 0) throw new Error('a link preview of another kind');
  if (jpegThumbnail && jpegThumbnail.length > LARGEST_THUMBNAIL)
    throw new Error('a link preview with a large thumbnail');
  const hasPicture = Boolean(said.thumbnailDirectPath);
  if (hasPicture !== Boolean(jpegThumbnail?.length)) throw new Error('a link preview with one of its two pictures');
  return {
    url: matchedText,
    title,
    description: description ?? '',
    thumbnail: jpegThumbnail?.length ? Buffer.from(jpegThumbnail) : undefined,
    picture: hasPicture ? readPicture(state, said, place) : undefined,
    width: said.thumbnailWidth ?? undefined,
    height: said.thumbnailHeight ?? undefined,
  };
}

function readPicture(state: PeerState, said: proto.Message.IExtendedTextMessage, place: Upload['place']): Buffer {
  const {
    thumbnailDirectPath: directPath,
    thumbnailSha256: fileSha256,
    thumbnailEncSha256: fileEncSha256,
    mediaKey,
  } = said;
  if (place === 'chats' && !said.mediaKeyTimestamp) throw new Error('a link preview whose key has no age');
  return openUpload(state, { kind: 'thumbnail-link', place }, { directPath, fileSha256, fileEncSha256, mediaKey });
}
