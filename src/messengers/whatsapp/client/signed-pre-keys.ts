/**
 * The account's signed prekeys. A device that has no session with us begins one with the present key, which is renewed every 27 days as
 * WhatsApp Web does (docs/explanation/whatsapp-evidence.md). A message may have been encrypted to a former key, so the last two are kept.
 */
import {
  proto,
  signedKeyPair,
  type AuthenticationCreds,
  type SignedKeyPair,
  type UserFacingSocketConfig,
} from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import { sleep } from '../../../platform/time/time.ts';
import type { Client } from './client.ts';
import type { LibraryCredentials } from './credentials.ts';
import { rejectionCodeOf } from './errors.ts';
import type { KeyValueStore } from './key-storage.ts';
import type { Node } from './node.ts';

export const RENEW_AFTER_MS = 27 * 24 * 3_600_000;
/** After an error of the server's own. */
const AGAIN_AFTER_MS = 24 * 3_600_000;
/** WhatsApp rejects this key: it is invalid (406), or conflicts with others of the account (409). Other codes say nothing about the key. */
const KEY_REJECTED = new Set([406, 409]);
const CHECK_EVERY_MS = 3_600_000;
const FORMER_KEPT = 2;
/** Ids have three bytes. */
const LAST_ID = 0xff_ff_ff;

const KEYS = 'signed_prekey';
const DUE = 'signed_prekey_due';

/** A key as JSON; bytes are base64. */
interface StoredKey {
  public: string;
  private: string;
  signature: string;
}

export interface Renewal {
  client: Pick<Client, 'query'>;
  library: Pick<LibraryCredentials, 'auth' | 'store' | 'save'>;
  /** In milliseconds since 1970. */
  now(): Promise<number>;
  log: Log;
}

/** Renews the key when it is due, until `signal` is aborted. Never rejects. */
export async function keepSignedPreKeyFresh(renewal: Renewal, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await renewIfDue(renewal);
    } catch (error) {
      if (!signal.aborted)
        renewal.log.warn({ err: error }, 'the signed prekey could not be renewed: it is tried again');
    }
    await sleep(CHECK_EVERY_MS, signal);
  }
}

/**
 * Stores the new key before it uploads it, and uploads the same one until WhatsApp has answered. So the private part of each key that
 * WhatsApp may give to others is always stored. Throws NoAnswerError when WhatsApp does not answer.
 */
async function renewIfDue({ client, library, now, log }: Renewal): Promise<void> {
  const { store, auth } = library;
  const nowMs = await now();
  const due = (await store.read(DUE, [''])).get('');
  const beDueAfter = (ms: number) => store.write(DUE, new Map([['', nowMs + ms]]));
  if (typeof due !== 'number') return beDueAfter(RENEW_AFTER_MS);
  if (nowMs < due) return;
  const { signedPreKey: former } = auth.creds;
  const id = nextId(former.keyId);
  const next = (await findKey(store, id)) ?? signedKeyPair(auth.creds.signedIdentityKey, id);
  await store.write(KEYS, new Map([former, next].map((key) => [String(key.keyId), toStored(key)])));
  try {
    await client.query({
      type: 'set',
      xmlns: 'encrypt',
      content: [{ tag: 'rotate', attrs: {}, content: [toNode(next)] }],
    });
  } catch (error) {
    const code = rejectionCodeOf(error);
    // Without an answer WhatsApp may have the key.
    if (code === undefined) throw error;
    log.warn({ code }, 'WhatsApp does not take the new signed prekey: the former one stays');
    if (KEY_REJECTED.has(code)) await store.write(KEYS, new Map([[String(id), null]]));
    return beDueAfter(code < 500 ? RENEW_AFTER_MS : AGAIN_AFTER_MS);
  }
  Object.assign(auth.creds, { signedPreKey: next });
  await library.save();
  await dropOld(store, id);
  await beDueAfter(RENEW_AFTER_MS);
}

const nextId = (id: number) => (id >= LAST_ID ? 1 : id + 1);

async function dropOld(store: KeyValueStore, present: number): Promise<void> {
  const kept = new Set(
    Array.from({ length: FORMER_KEPT + 1 }, (_, back) => String((present - back + LAST_ID) % LAST_ID)),
  );
  const old = [...(await store.list(KEYS)).keys()].filter((name) => !kept.has(String(Number(name) % LAST_ID)));
  if (old.length > 0) await store.write(KEYS, new Map(old.map((name) => [name, null])));
}

async function findKey(store: KeyValueStore, id: number): Promise<SignedKeyPair | undefined> {
  const stored = (await store.read(KEYS, [String(id)])).get(String(id)) as StoredKey | undefined;
  if (!stored) return undefined;
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const keyPair = { public: bytes(stored.public), private: bytes(stored.private) };
  return { keyId: id, keyPair, signature: bytes(stored.signature) };
}

function toStored({ keyPair, signature }: SignedKeyPair): StoredKey {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return { public: text(keyPair.public), private: text(keyPair.private), signature: text(signature) };
}

function toNode({ keyId, keyPair, signature }: SignedKeyPair): Node {
  const id = Buffer.alloc(3);
  id.writeUIntBE(keyId, 0, 3);
  const part = (tag: string, content: Uint8Array): Node => ({ tag, attrs: {}, content });
  return {
    tag: 'skey',
    attrs: {},
    content: [part('id', id), part('value', keyPair.public), part('signature', signature)],
  };
}

type MakeRepository = NonNullable<UserFacingSocketConfig['makeSignalRepository']>;

/** Lets the library decrypt a message to a former key: it tries only the present one. */
export function withFormerKeys(make: MakeRepository, store: KeyValueStore): MakeRepository {
  return (auth, ...more) => {
    const repository = make(auth, ...more);
    const { decryptMessage } = repository;
    repository.decryptMessage = async (message) => {
      const id = message.type === 'pkmsg' ? signedPreKeyIdOf(message.ciphertext) : undefined;
      const isPresent = id === undefined || id === auth.creds.signedPreKey.keyId;
      const former = isPresent ? undefined : await findKey(store, id);
      if (!former) return decryptMessage(message);
      const creds: AuthenticationCreds = { ...(auth.creds as AuthenticationCreds), signedPreKey: former };
      return make({ ...auth, creds }, ...more).decryptMessage(message);
    };
    return repository;
  };
}

/** A prekey message is a byte with the version, then protobuf. Returns undefined if it names no signed prekey, or is not well-formed. */
function signedPreKeyIdOf(ciphertext: Uint8Array): number | undefined {
  try {
    return proto.PreKeySignalMessage.decode(ciphertext.subarray(1)).signedPreKeyId ?? undefined;
  } catch {
    return undefined;
  }
}
