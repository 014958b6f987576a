import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { MediaKind } from '../../../content/media/sniff.ts';

/** Yields the bytes of a file from its beginning, each time it is called. */
type ReadPieces = () => AsyncIterable<Buffer>;

export interface FileContent {
  pieces: ReadPieces;
  /** In bytes. */
  size: number;
  sha256: Buffer;
}

/** A picture of a link has keys of its own kind. */
type FileKind = MediaKind | 'thumbnail-link';

const KEY_INFO: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  'thumbnail-link': 'WhatsApp Link Thumbnail Keys',
};
const MAC_BYTES = 10;

/**
 * What is uploaded of a file: it is encrypted, but for a channel. `keys` are for the receivers of the post, with the hash of the encrypted
 * file.
 */
export async function toUpload(file: FileContent, kind: FileKind, isForChannel: boolean) {
  if (isForChannel) return { file: { path: `/newsletter/newsletter-${kind}`, ...file }, keys: undefined };
  const { mediaKey, ...encrypted } = await encryptFile(file.pieces, kind);
  const keys = { mediaKey, mediaKeyTimestamp: Math.floor(Date.now() / 1_000) };
  return { file: { path: `/mms/${kind}`, ...encrypted }, keys };
}

/**
 * Encrypts a file with a key of its own. It is never in memory as a whole: the path of an upload has the hash of the encrypted bytes, so
 * they are made twice, for the hash and for the upload.
 */
async function encryptFile(pieces: ReadPieces, kind: FileKind) {
  const mediaKey = randomBytes(32);
  const encrypted: ReadPieces = () => encryptPieces(pieces(), mediaKey, kind);
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of encrypted()) {
    hash.update(piece);
    size += piece.length;
  }
  return { mediaKey, size, sha256: hash.digest(), pieces: encrypted };
}

async function* encryptPieces(pieces: AsyncIterable<Buffer>, mediaKey: Buffer, kind: FileKind): AsyncGenerator<Buffer> {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, '', KEY_INFO[kind], 80));
  const [iv, cipherKey, macKey] = [keys.subarray(0, 16), keys.subarray(16, 48), keys.subarray(48)];
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const mac = createHmac('sha256', macKey).update(iv);
  for await (const piece of pieces) {
    const encrypted = cipher.update(piece);
    mac.update(encrypted);
    yield encrypted;
  }
  const end = cipher.final();
  mac.update(end);
  yield Buffer.concat([end, mac.digest().subarray(0, MAC_BYTES)]);
}

const PIECE_BYTES = 256 * 1024;

/** Yields a file that is in memory in pieces, between which the event loop goes on. */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    yield bytes.subarray(from, from + PIECE_BYTES);
    await new Promise(setImmediate);
  }
}
