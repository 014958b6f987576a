import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { MediaKind } from '../../../content/media/sniff.ts';

export interface EncryptedFile {
  /** The key for the receivers of the post. */
  mediaKey: Buffer;
  bytes: Buffer;
  sha256: Buffer;
}

const KEY_INFO: Readonly<Record<MediaKind | 'thumbnail-link', string>> = {
  image: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  'thumbnail-link': 'WhatsApp Link Thumbnail Keys',
};
const MAC_BYTES = 10;
const BLOCK_BYTES = 16;
const PIECE_BYTES = 1024 * 1024;

/** Encrypts a file with a key of its own, in pieces between which the event loop goes on. */
export async function encryptFile(bytes: Buffer, kind: keyof typeof KEY_INFO): Promise<EncryptedFile> {
  const mediaKey = randomBytes(32);
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, '', KEY_INFO[kind], 80));
  const [iv, cipherKey, macKey] = [keys.subarray(0, 16), keys.subarray(16, 48), keys.subarray(48)];
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const mac = createHmac('sha256', macKey).update(iv);
  const hash = createHash('sha256');
  const padded = bytes.length + BLOCK_BYTES - (bytes.length % BLOCK_BYTES);
  const encrypted = Buffer.allocUnsafeSlow(padded + MAC_BYTES);
  let written = 0;
  const take = (piece: Buffer) => {
    written += piece.copy(encrypted, written);
    hash.update(piece);
  };
  const takeSigned = (piece: Buffer) => {
    mac.update(piece);
    take(piece);
  };
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    takeSigned(cipher.update(bytes.subarray(from, from + PIECE_BYTES)));
    await new Promise(setImmediate);
  }
  takeSigned(cipher.final());
  take(mac.digest().subarray(0, MAC_BYTES));
  return { mediaKey, bytes: encrypted, sha256: hash.digest() };
}
