/**
 * The Signal protocol as WhatsApp uses it, built on Node's own primitives alone: the devices of the peer use the client's library, in
 * which an error of the library would cancel out. For one conversation and one group.
 * Sources: https://signal.org/docs/specifications/ (X3DH, Double Ratchet, XEdDSA).
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import { agree, createKey, isSignedBy, signWith, typed, untyped, type Key } from './independent-keys.ts';
import { encodeFields, decodeFields } from './protobuf-fields.ts';

export interface Bundle {
  registrationId: number;
  identityKey: Uint8Array;
  signedPreKey: { keyId: number; publicKey: Uint8Array; signature: Uint8Array };
  preKey: { keyId: number; publicKey: Uint8Array } | undefined;
}

export interface Encrypted {
  type: 'pkmsg' | 'msg';
  ciphertext: Buffer;
}

const VERSION = 0x33;

function derive(secret: Uint8Array, info: string, length: number, salt: Uint8Array = Buffer.alloc(32)): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
const hmac = (key: Uint8Array, ...data: Uint8Array[]): Buffer =>
  data.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest();

function encryptCbc(key: Buffer, iv: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}
function decryptCbc(key: Buffer, iv: Buffer, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}

/** A hash chain: each key encrypts one message. */
class Chain {
  private key: Buffer;
  /** The number of the next key. */
  private next: number;
  private readonly skipped = new Map<number, Buffer>();
  constructor(key: Uint8Array, next = 0) {
    this.key = Buffer.from(key);
    this.next = next;
  }
  get state() {
    return { key: this.key, next: this.next };
  }
  /** The seed of a message's keys; each can be taken once. */
  take(number = this.next): Buffer {
    while (this.next <= number) {
      this.skipped.set(this.next++, hmac(this.key, Buffer.from([1])));
      this.key = hmac(this.key, Buffer.from([2]));
    }
    const seed = this.skipped.get(number);
    if (!seed) throw new Error(`the key ${number} was used before`);
    this.skipped.delete(number);
    return seed;
  }
}

interface Session {
  theirIdentity: Buffer;
  root: Buffer;
  ratchet: Key;
  sending: { chain: Chain; sent: number } | undefined;
  receiving: Map<string, Chain>;
  /** Undefined once they have answered. */
  first: { base: Key; signedId: number; preKeyId: number | undefined } | undefined;
}

export class IndependentDevice {
  private readonly identity = createKey();
  private readonly signed = { id: randomInt(1, 1_000), key: createKey() };
  private readonly preKeys = new Map<number, Key>();
  private readonly registrationId = randomInt(1, 16_380);
  private session: Session | undefined;
  private own: { id: number; chain: Chain; signer: Key } | undefined;
  private theirs: { id: number; chain: Chain; signer: Buffer } | undefined;

  get hasSession(): boolean {
    return this.session !== undefined;
  }

  /** Keys for a session with it. Forged: somebody else has signed them. */
  bundle({ isForged = false, hasPreKey = true } = {}): Bundle {
    const keyId = randomInt(1, 0xffffff);
    const key = createKey();
    if (hasPreKey) this.preKeys.set(keyId, key);
    const signature = signWith(isForged ? createKey() : this.identity, typed(this.signed.key.raw));
    return {
      registrationId: this.registrationId,
      identityKey: this.identity.raw,
      signedPreKey: { keyId: this.signed.id, publicKey: this.signed.key.raw, signature },
      preKey: hasPreKey ? { keyId, publicKey: key.raw } : undefined,
    };
  }

  /** As the one who writes first. */
  startSession({ identityKey, signedPreKey, preKey }: Bundle): void {
    if (!isSignedBy(identityKey, typed(untyped(signedPreKey.publicKey)), signedPreKey.signature))
      throw new Error('the prekey is not signed by its owner');
    const base = createKey();
    const root = agreeRoot([
      agree(this.identity, signedPreKey.publicKey),
      agree(base, identityKey),
      agree(base, signedPreKey.publicKey),
      ...(preKey ? [agree(base, preKey.publicKey)] : []),
    ]);
    this.session = {
      theirIdentity: untyped(identityKey),
      root,
      ratchet: createKey(),
      sending: undefined,
      receiving: new Map(),
      first: { base, signedId: signedPreKey.keyId, preKeyId: preKey?.keyId },
    };
    this.turn(this.session, signedPreKey.publicKey);
  }

  encrypt(plain: Uint8Array): Encrypted {
    const { session } = this;
    if (!session?.sending) throw new Error('no session to write in');
    const { chain, sent } = session.sending;
    session.sending.sent += 1;
    const seed = derive(chain.take(), 'WhisperMessageKeys', 80);
    const ciphertext = encryptCbc(seed.subarray(0, 32), seed.subarray(64), plain);
    const body = encodeFields({ 1: typed(session.ratchet.raw), 2: sent, 3: 0, 4: ciphertext });
    const framed = Buffer.concat([Buffer.from([VERSION]), body]);
    const mac = hmac(seed.subarray(32, 64), typed(this.identity.raw), typed(session.theirIdentity), framed);
    const message = Buffer.concat([framed, mac.subarray(0, 8)]);
    if (!session.first) return { type: 'msg', ciphertext: message };
    const { base, signedId, preKeyId } = session.first;
    const fields = { 1: preKeyId, 2: typed(base.raw), 3: typed(this.identity.raw), 4: message };
    const first = encodeFields({ ...fields, 5: this.registrationId, 6: signedId });
    return { type: 'pkmsg', ciphertext: Buffer.concat([Buffer.from([VERSION]), first]) };
  }

  /** Throws when it was not encrypted for this device, or was changed, or was decrypted before. */
  decrypt({ type, ciphertext }: { type: string; ciphertext: Uint8Array }): Buffer {
    if (type === 'msg') return this.open(Buffer.from(ciphertext));
    const fields = decodeFields(ciphertext.subarray(1));
    const [preKeyId, base, identity] = [fields.number(1), fields.bytes(2), fields.bytes(3)];
    if (fields.number(6) !== this.signed.id) throw new Error('another signed prekey');
    const preKey = preKeyId === undefined ? undefined : this.preKeys.get(preKeyId);
    if (preKeyId !== undefined && !preKey) throw new Error('a prekey that was never given out');
    const root = agreeRoot([
      agree(this.signed.key, identity),
      agree(this.identity, base),
      agree(this.signed.key, base),
      ...(preKey ? [agree(preKey, base)] : []),
    ]);
    const isKnown = this.session?.theirIdentity.equals(untyped(identity)) && this.session.receiving.size > 0;
    if (!isKnown)
      this.session = {
        theirIdentity: untyped(identity),
        root,
        ratchet: this.signed.key,
        sending: undefined,
        receiving: new Map(),
        first: undefined,
      };
    return this.open(fields.bytes(4));
  }

  private open(message: Buffer): Buffer {
    const { session } = this;
    if (!session) throw new Error('no session to read in');
    const fields = decodeFields(message.subarray(1, -8));
    const chain = this.receivingChain(session, fields.bytes(1));
    const seed = derive(chain.take(fields.number(2) ?? 0), 'WhisperMessageKeys', 80);
    const mac = hmac(
      seed.subarray(32, 64),
      typed(session.theirIdentity),
      typed(this.identity.raw),
      message.subarray(0, -8),
    );
    if (!mac.subarray(0, 8).equals(message.subarray(-8))) throw new Error('a wrong MAC');
    session.first = undefined;
    return decryptCbc(seed.subarray(0, 32), seed.subarray(64), fields.bytes(4));
  }

  private receivingChain(session: Session, ephemeral: Buffer): Chain {
    const name = ephemeral.toString('hex');
    const known = session.receiving.get(name);
    if (known) return known;
    const keys = derive(agree(session.ratchet, ephemeral), 'WhisperRatchet', 64, session.root);
    session.root = keys.subarray(0, 32);
    const chain = new Chain(keys.subarray(32));
    session.receiving.set(name, chain);
    session.ratchet = createKey();
    this.turn(session, ephemeral);
    return chain;
  }

  /** Begins the chain of its next messages. */
  private turn(session: Session, theirRatchet: Uint8Array): void {
    const keys = derive(agree(session.ratchet, theirRatchet), 'WhisperRatchet', 64, session.root);
    session.root = keys.subarray(0, 32);
    session.sending = { chain: new Chain(keys.subarray(32)), sent: 0 };
  }

  /** Creates its sender key. Returns the bytes with which others can read its messages to the group. */
  createSenderKey(): Buffer {
    const id = randomInt(1, 2 ** 31);
    this.own = { id, chain: new Chain(randomBytes(32)), signer: createKey() };
    const { key, next } = this.own.chain.state;
    const body = encodeFields({ 1: id, 2: next, 3: key, 4: typed(this.own.signer.raw) });
    return Buffer.concat([Buffer.from([VERSION]), body]);
  }

  encryptGroup(plain: Uint8Array): Buffer {
    if (!this.own) throw new Error('no sender key');
    const { id, chain, signer } = this.own;
    const number = chain.state.next;
    const seed = derive(chain.take(), 'WhisperGroup', 48);
    const ciphertext = encryptCbc(seed.subarray(16), seed.subarray(0, 16), plain);
    const body = Buffer.concat([Buffer.from([VERSION]), encodeFields({ 1: id, 2: number, 3: ciphertext })]);
    return Buffer.concat([body, signWith(signer, body)]);
  }

  learnSenderKey(distribution: Uint8Array): void {
    const fields = decodeFields(distribution.subarray(1));
    this.theirs = {
      id: fields.number(1) ?? 0,
      chain: new Chain(fields.bytes(3), fields.number(2) ?? 0),
      signer: fields.bytes(4),
    };
  }

  /** Throws as `decrypt` does, and when the sender has not signed it. */
  decryptGroup(message: Uint8Array): Buffer {
    const [body, signature] = [message.subarray(0, -64), message.subarray(-64)];
    const fields = decodeFields(body.subarray(1));
    if (!this.theirs || fields.number(1) !== this.theirs.id) throw new Error('another sender key');
    if (!isSignedBy(this.theirs.signer, body, signature)) throw new Error('not signed by the sender');
    const seed = derive(this.theirs.chain.take(fields.number(2) ?? 0), 'WhisperGroup', 48);
    return decryptCbc(seed.subarray(16), seed.subarray(0, 16), fields.bytes(3));
  }
}

function agreeRoot(secrets: readonly Buffer[]): Buffer {
  return derive(Buffer.concat([Buffer.alloc(32, 0xff), ...secrets]), 'WhisperText', 64).subarray(0, 32);
}
