/** Decrypts what members encrypt with the message secret of a post: reactions, votes and answers. */
import { createDecipheriv, hkdfSync } from 'node:crypto';
import type { OwnIds } from '../client/client.ts';
import { userJidOf } from '../client/jid.ts';

export interface Sealed {
  encPayload?: Uint8Array | null;
  encIv?: Uint8Array | null;
}

interface SealedAbout {
  /** The message secret of the post, and its id. */
  secret: Buffer;
  messageId: string;
  /** What the key is for, as WhatsApp names it. */
  use: string;
  /** The ciphertext is bound to the post and its sender (additional authenticated data). */
  isBound?: boolean;
  me: OwnIds | undefined;
  /** The known ids of the sender. */
  who: readonly string[];
}

/**
 * Undefined if it was encrypted for another link or about somebody else's post. The group named author and sender by phone number or by
 * LID, and the message does not say which: all pairs are tried.
 */
export function openSealed({ encPayload, encIv }: Sealed, about: SealedAbout): Buffer | undefined {
  const { secret, messageId, use, isBound = false, me, who } = about;
  if (!encPayload || !encIv) return undefined;
  for (const author of jidsOf([me?.lid, me?.id]))
    for (const sender of jidsOf(who)) {
      const info = `${messageId}${author}${sender}${use}`;
      const key = Buffer.from(hkdfSync('sha256', secret, '', info, 32));
      const opened = decrypt(key, { iv: encIv, sealed: encPayload }, isBound ? `${messageId}\0${sender}` : undefined);
      if (opened) return opened;
    }
  return undefined;
}

const jidsOf = (jids: ReadonlyArray<string | undefined>) => [
  ...new Set(jids.flatMap((jid) => (jid === undefined ? [] : [userJidOf(jid)]))),
];

const TAG_BYTES = 16;

/** Undefined if it was not encrypted with this key. */
function decrypt(
  key: Buffer,
  { iv, sealed }: { iv: Uint8Array; sealed: Uint8Array },
  bound: string | undefined,
): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(sealed.subarray(-TAG_BYTES));
    if (bound !== undefined) decipher.setAAD(Buffer.from(bound));
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
