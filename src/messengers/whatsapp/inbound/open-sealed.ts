/** Decrypts what members encrypt with the message secret of a post: reactions, votes and answers. */
import { createDecipheriv, hkdfSync } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { MessageKey } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import { secretOf } from '../connect/message-secret.ts';
import type { MessageSecretKeys } from '../connect/message-secret-keys.ts';
import { completeIds, type Known } from './identify.ts';
import { isOwn, lidName, numberName, readIds, type Ids } from './participants.ts';
import { idsOf } from './read-member-actions.ts';

export interface Sealed {
  encPayload?: Uint8Array | null;
  encIv?: Uint8Array | null;
}

interface About {
  /** Names the post, and its author if that is not the sender. */
  key: MessageKey;
  /** What the key is for, as WhatsApp names it. */
  use: string;
  /** The ciphertext is bound to the post and its sender (additional authenticated data). Default is `false`. */
  isBound?: boolean;
}

/** Undefined if it is about somebody else's post, or one whose secret nobody here knows any more. */
export type Decrypt = (sealed: Sealed, about: About) => Promise<Buffer | undefined>;

interface DecryptOptions extends Known {
  client: Pick<Client, 'me' | 'noiseKey' | 'lids'>;
  tryFetchGroup(chatId: string): Promise<void>;
  secretKeys: Pick<MessageSecretKeys, 'key' | 'findAuthor'>;
}

/**
 * Returns what decrypts the message in this stanza. The author of the post may be any number of the workspace. The group named author and
 * sender by phone number or by LID, and the message does not say which: all pairs are tried.
 */
export function createDecrypter(options: DecryptOptions, { attrs }: Node): Decrypt {
  const { client, secretKeys } = options;
  const { from: chatId = '', participant } = attrs;
  return async (sealed, about) => {
    const named = readIds(idsOf(participant, attrs));
    if (!named) return undefined;
    const author = about.key.fromMe ? named : readIds([about.key.participant ?? undefined]);
    const isOther = author !== undefined && !isOwn(client, author);
    const other = isOther ? await secretKeys.findAuthor(author) : undefined;
    const authors = [other, readIds([client.me?.id, client.me?.lid])];
    const secrets = [secretKeys.key, client.noiseKey];
    const sender = await completeIds(options, chatId, named);
    const opened = tryAll(sealed, about, { authors, sender, secrets });
    const isComplete = sender.lid !== undefined && sender.number !== undefined;
    if (opened || isComplete || (isOther && !other)) return opened;
    // After a start no group is cached until it gets a post.
    await options.tryFetchGroup(chatId);
    return tryAll(sealed, about, { authors, sender: await completeIds(options, chatId, named), secrets });
  };
}

function tryAll(
  { encPayload, encIv }: Sealed,
  { key: { id }, use, isBound = false }: About,
  {
    authors,
    sender,
    secrets,
  }: { authors: ReadonlyArray<Ids | undefined>; sender: Ids; secrets: readonly Uint8Array[] },
): Buffer | undefined {
  if (!encPayload || !encIv || !id) return undefined;
  const senders = jidsOf([sender]);
  const candidates = secrets.flatMap((secretKey) => {
    const secret = secretOf(secretKey, id);
    return jidsOf(authors).flatMap((author) =>
      senders.map((by) => ({ secret, info: `${id}${author}${by}${use}`, aad: isBound ? `${id}\0${by}` : undefined })),
    );
  });
  for (const { secret, info, aad } of candidates) {
    const opened = decryptWith(Buffer.from(hkdfSync('sha256', secret, '', info, 32)), { encIv, encPayload }, aad);
    if (opened) return opened;
  }
  return undefined;
}

function jidsOf(people: ReadonlyArray<Ids | undefined>): string[] {
  const jids = people.flatMap((ids) => [
    ...(ids?.lid === undefined ? [] : [lidName(ids.lid)]),
    ...(ids?.number === undefined ? [] : [numberName(ids.number)]),
  ]);
  return [...new Set(jids)];
}

const TAG_BYTES = 16;

/** Undefined if it was not encrypted with this key. */
function decryptWith(
  key: Buffer,
  { encIv, encPayload }: { encIv: Uint8Array; encPayload: Uint8Array },
  aad: string | undefined,
): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, encIv).setAuthTag(encPayload.subarray(-TAG_BYTES));
    if (aad !== undefined) decipher.setAAD(Buffer.from(aad));
    return Buffer.concat([decipher.update(encPayload.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
