/** Shows the file of a post as a phone does: downloads it, decrypts it, and checks it against the data in the post. */
import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import type { proto } from 'baileys';
import type { MediaKind, Upload, UploadKind } from './media-host.ts';
import type { PeerState } from './state.ts';

/** A file as its receiver sees it. */
export interface ShownMedia {
  kind: MediaKind;
  mime: string;
  bytes: Buffer;
  fileName: string | undefined;
  width: number | undefined;
  height: number | undefined;
  thumbnail: Buffer | undefined;
}

/** The fields common to messages of all kinds. */
interface Described {
  url?: string | null;
  directPath?: string | null;
  mediaKey?: Uint8Array | null;
  mimetype?: string | null;
  fileSha256?: Uint8Array | null;
  fileEncSha256?: Uint8Array | null;
  fileLength?: unknown;
  caption?: string | null;
  fileName?: string | null;
  width?: number | null;
  height?: number | null;
  jpegThumbnail?: Uint8Array | null;
  contextInfo?: proto.IContextInfo | null;
}

const INFO: Record<UploadKind, string> = {
  image: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  'thumbnail-link': 'WhatsApp Link Thumbnail Keys',
};
const MAC_BYTES = 10;

/** Returns the file of a message; undefined if it has none. */
export function describedMedia(message: proto.IMessage): { kind: MediaKind; described: Described } | undefined {
  const { imageMessage, videoMessage, audioMessage, documentMessage } = message;
  if (imageMessage) return { kind: 'image', described: imageMessage };
  if (videoMessage) return { kind: 'video', described: videoMessage };
  if (audioMessage) return { kind: 'audio', described: audioMessage };
  if (documentMessage) return { kind: 'document', described: documentMessage };
  return undefined;
}

/** Throws if a phone would show a broken picture. */
export function readMedia(state: PeerState, message: proto.IMessage, place: Upload['place']): ShownMedia | undefined {
  const found = describedMedia(message);
  if (!found) return undefined;
  const { kind, described } = found;
  const bytes = openUpload(state, { kind, place }, described);
  if (place === 'channels' && !described.url?.endsWith(described.directPath ?? ' '))
    throw new Error('a file of a channel without the URL that its host gave');
  if (Number(described.fileLength) !== bytes.length) throw new Error('a file of another length');
  if (!described.mimetype) throw new Error('a file of no type');
  const { width, height, jpegThumbnail, fileName } = described;
  return {
    kind,
    mime: described.mimetype,
    bytes,
    fileName: fileName ?? undefined,
    width: width ?? undefined,
    height: height ?? undefined,
    thumbnail: jpegThumbnail?.length ? Buffer.from(jpegThumbnail) : undefined,
  };
}

type Key = 'directPath' | 'mediaKey' | 'fileSha256' | 'fileEncSha256';
type Keys = { [Name in Key]?: Described[Name] | undefined };

/** Returns the bytes of an uploaded file. Throws if it is not the one that the message describes. */
export function openUpload(state: PeerState, { kind, place }: Pick<Upload, 'kind' | 'place'>, described: Keys): Buffer {
  const upload = state.uploads.find(({ directPath }) => directPath === described.directPath);
  if (!upload || upload.place !== place || upload.kind !== kind) throw new Error(`no such ${kind} was uploaded`);
  const bytes = place === 'chats' ? decryptOnce(state, upload, described) : readPlain(upload, described);
  requireHash(bytes, described.fileSha256, 'of the file');
  return bytes;
}

function readPlain({ bytes }: Upload, { mediaKey, fileEncSha256 }: Keys): Buffer {
  if (mediaKey?.length || fileEncSha256?.length) throw new Error('a file of a channel is not encrypted');
  return bytes;
}

/** Many phones download the same file with the same key. */
function decryptOnce(state: PeerState, upload: Upload, described: Keys): Buffer {
  const key = `${upload.directPath} ${Buffer.from(described.mediaKey ?? []).toString('hex')}`;
  const known = state.decrypted.get(key);
  if (known) return known;
  requireHash(upload.bytes, described.fileEncSha256, 'of the encrypted file');
  const bytes = decrypt(upload, described);
  state.decrypted.set(key, bytes);
  return bytes;
}

function decrypt({ kind, bytes }: Upload, { mediaKey }: Keys): Buffer {
  if (mediaKey?.length !== 32) throw new Error('a file without a key');
  const expanded = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(32), INFO[kind], 112));
  const iv = expanded.subarray(0, 16);
  const body = bytes.subarray(0, -MAC_BYTES);
  const mac = createHmac('sha256', expanded.subarray(48, 80)).update(iv).update(body).digest().subarray(0, MAC_BYTES);
  if (!mac.equals(bytes.subarray(-MAC_BYTES))) throw new Error('a file that was changed on its way');
  const decipher = createDecipheriv('aes-256-cbc', expanded.subarray(16, 48), iv);
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

function requireHash(bytes: Buffer, hash: Uint8Array | null | undefined, what: string): void {
  const real = createHash('sha256').update(bytes).digest();
  if (!hash || !real.equals(hash)) throw new Error(`another hash than that ${what}`);
}
