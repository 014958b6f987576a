/**
 * Linking a number that has a passkey: the part of WhatsApp's server and the part of the phone. Derivations and signatures are computed
 * with Node's own primitives, and not with those of the client library, so that both sides have to agree on every byte.
 */
import {
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { proto } from 'baileys';
import type { QueryAnswer } from './answer-queries.ts';
import type { Connection } from './connection.ts';
import { checkAssertion, type PasskeyOptions } from './authenticator.ts';
import type { PeerState } from './state.ts';
import { bytesOf, child, element, need, seconds, SERVER, type Stanza } from './stanza.ts';
import type { Person } from './world.ts';

/** The keys that a phone signs when it links a device. */
export interface DeviceKeys {
  identity: Buffer;
  advSecret: Buffer;
}

/** One attempt to link a device to a number with a passkey. */
export interface PasskeyLink {
  person: Person;
  /** The secret that the phone read from the QR code, or agreed on by the pairing code. */
  advSecret: Buffer;
  request: { options: PasskeyOptions; askedAtMs: number } | undefined;
  /** Issued references: the device has to name the last one. */
  ref: string | undefined;
  prologue: Prologue | undefined;
  phone: { key: KeyObject; publicKey: Buffer; nonce: Buffer } | undefined;
  /** Resolves to the characters that the phone shows. */
  code: PromiseWithResolvers<string>;
  /** Resolves when the person has confirmed on the phone that the device shows the same. */
  compared: PromiseWithResolvers<void>;
  keys: PromiseWithResolvers<DeviceKeys>;
}

interface Prologue {
  /** The encoded identity, as the device has committed to it. */
  identity: Buffer;
  commitment: Buffer;
  publicKey: Buffer;
  deviceType: number;
  ref: string;
}

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

/** Asks the device for the passkey of the person. Resolves to the keys that the phone is to sign. */
export async function demandPasskey(
  state: PeerState,
  connection: Connection,
  person: Person,
  advSecret: Buffer,
): Promise<DeviceKeys> {
  if (!connection.pairing) throw new Error('this client does not link');
  const link: PasskeyLink = {
    person,
    advSecret,
    request: undefined,
    ref: undefined,
    prologue: undefined,
    phone: undefined,
    code: Promise.withResolvers(),
    compared: Promise.withResolvers(),
    keys: Promise.withResolvers(),
  };
  for (const { promise } of [link.code, link.compared, link.keys]) promise.catch(() => undefined);
  connection.pairing.passkey = link;
  connection.onClose(() => {
    const gone = new Error('the client hung up instead of showing the passkey');
    for (const { reject } of [link.code, link.compared, link.keys]) reject(gone);
  });
  const content = state.script.withholdsPasskeyOptions ? [] : [newOptions(link)];
  const attributes = { from: SERVER, type: 'passkey_prologue_request', id: state.nextId(), t: seconds() };
  connection.send(element('notification', attributes, content));
  return link.keys.promise;
}

/** A new challenge: earlier ones are answered no more. */
function newOptions(link: PasskeyLink): Stanza {
  const options = {
    challenge: randomBytes(32).toString('base64url'),
    timeout: 600_000,
    rpId: 'whatsapp.com',
    allowCredentials: [],
    userVerification: 'required',
    extensions: { uvm: true },
  };
  link.request = { options, askedAtMs: Date.now() };
  return element('passkey_request_options', {}, Buffer.from(JSON.stringify(options)));
}

/** Answers a query of a device that links with a passkey. Undefined: it is not one of them. */
export function answerPasskeyQuery(state: PeerState, connection: Connection, asked: Stanza): QueryAnswer {
  const link = connection.pairing?.passkey;
  if (!link) return undefined;
  switch (asked.tag) {
    case 'ref':
      link.ref = randomBytes(12).toString('base64');
      return [element('ref', {}, Buffer.from(link.ref))];
    case 'passkey_request_options':
      return [newOptions(link)];
    case 'passkey_prologue':
      return takePrologue(state, connection, link, asked);
    case 'companion_nonce':
      return takeNonce(state, link, bytesOf(asked));
    case 'encrypted_pairing_request':
      return takePairingRequest(link, bytesOf(asked));
    default:
      return undefined;
  }
}

function takePrologue(state: PeerState, connection: Connection, link: PasskeyLink, asked: Stanza): QueryAnswer {
  const { request } = link;
  // Each challenge is good for one answer.
  link.request = undefined;
  if (!request || Date.now() - request.askedAtMs > state.script.passkeyMs) return FORBIDDEN;
  const assertion = bytesOf(need(asked, 'webauthn_assertion'));
  const credentialId = bytesOf(need(asked, 'credential_id'));
  const problem = checkAssertion(link.person, request.options, { assertion, credentialId });
  if (problem !== undefined) return FORBIDDEN;
  const payload = bytesOf(need(asked, 'prologue_payload'));
  const proof = child(asked, 'pairing_handoff_proof');
  if (!isProof(link.advSecret, payload, proof && bytesOf(proof), state.script.passkeyProof)) return FORBIDDEN;
  const prologue = readPrologue(payload);
  if (prologue.ref !== link.ref) return BAD_REQUEST;
  link.prologue = prologue;
  queueMicrotask(() => continueOnPhone(state, connection, link));
  return [];
}

/**
 * Whether the device proves that its code is the one that the phone has read. A late device leaves the proof out, and the person compares
 * characters instead.
 */
export function isProof(
  advSecret: Buffer,
  payload: Buffer,
  proof: Buffer | undefined,
  expected: 'required' | 'absent',
): boolean {
  if (expected === 'absent') return proof === undefined;
  const key = hkdf(advSecret, Buffer.alloc(0), 'shortcake-passkey-handoff-v1');
  return proof !== undefined && createHmac('sha256', key).update(payload).digest().equals(proof);
}

function readPrologue(payload: Buffer): Prologue {
  const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload);
  const identity = Buffer.from(companionEphemeralIdentity ?? []);
  const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity);
  if (publicKey?.length !== 32 || commitment?.hash?.length !== 32) throw new Error('a prologue without its keys');
  return {
    identity,
    commitment: Buffer.from(commitment.hash),
    publicKey: Buffer.from(publicKey),
    deviceType: deviceType ?? 0,
    ref: ref ?? '',
  };
}

/** The phone answers with a key of its own. */
function continueOnPhone(state: PeerState, connection: Connection, link: PasskeyLink): void {
  const { privateKey, publicKey: half } = generateKeyPairSync('x25519');
  const publicKey = Buffer.from(half.export({ format: 'jwk' }).x ?? '', 'base64url');
  link.phone = { key: privateKey, publicKey, nonce: randomBytes(32) };
  if (state.script.losesPasskeyContinuation) return;
  const bytes = proto.PrimaryEphemeralIdentity.encode({ publicKey, nonce: link.phone.nonce }).finish();
  const attributes = { from: SERVER, type: 'crsc_continuation', id: state.nextId(), t: seconds() };
  connection.send(element('notification', attributes, [element('primary_ephemeral_identity', {}, bytes)]));
}

/** The device reveals the number that it has committed to: the phone shows the characters. */
function takeNonce(state: PeerState, { prologue, phone, code, compared }: PasskeyLink, nonce: Buffer): QueryAnswer {
  if (!prologue || !phone || nonce.length !== 32) return BAD_REQUEST;
  const revealed = createHash('sha256').update(prologue.identity).update(nonce).digest();
  if (!revealed.equals(prologue.commitment)) return FORBIDDEN;
  const digest = createHash('sha256').update(nonce).update(phone.publicKey).digest();
  code.resolve(toCharacters(Buffer.from(phone.nonce.subarray(0, 5).map((byte, index) => byte ^ (digest[index] ?? 0)))));
  if (!state.script.phoneComparesCodes) compared.resolve();
  return [];
}

/** The keys of the device, encrypted for the phone. */
function takePairingRequest({ prologue, phone, compared, keys }: PasskeyLink, bytes: Buffer): QueryAnswer {
  if (!prologue || !phone) return BAD_REQUEST;
  const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(bytes);
  if (!encryptedPayload || iv?.length !== 12) return BAD_REQUEST;
  const salt = Buffer.from(`Companion Pairing ${prologue.deviceType} with ref ${prologue.ref}`);
  const shared = diffieHellman({ privateKey: phone.key, publicKey: x25519Key(prologue.publicKey) });
  const decipher = createDecipheriv('aes-256-gcm', hkdf(shared, salt, 'Pairing Information Encryption Key'), iv);
  decipher.setAuthTag(encryptedPayload.subarray(-16));
  const plain = Buffer.concat([decipher.update(encryptedPayload.subarray(0, -16)), decipher.final()]);
  const { companionPublicKey, companionIdentityKey, advSecret } = proto.PairingRequest.decode(plain);
  if (companionPublicKey?.length !== 32 || companionIdentityKey?.length !== 32 || advSecret?.length !== 32)
    return BAD_REQUEST;
  const signed = { identity: Buffer.from(companionIdentityKey), advSecret: Buffer.from(advSecret) };
  void compared.promise.then(() => keys.resolve(signed), keys.reject);
  return [];
}

/** The person compares the characters on the phone with those of the device. Rejects when they differ. */
export async function compareCode(state: PeerState, person: Person, shown: string): Promise<void> {
  const link = [...state.connections].map(({ pairing }) => pairing?.passkey).find((one) => one?.person === person);
  if (!link) throw new Error('nobody links with a passkey');
  const onPhone = await link.code.promise;
  const different = new Error(`the phone shows ${onPhone}, and the device ${shown}`);
  if (onPhone === shown.replace('-', '')) link.compared.resolve();
  else {
    link.compared.reject(different);
    throw different;
  }
}

/** RFC 5869 with SHA-256, for 32 bytes. */
function hkdf(secret: Buffer, salt: Buffer, info: string): Buffer {
  const extracted = createHmac('sha256', salt.length === 0 ? Buffer.alloc(32) : salt)
    .update(secret)
    .digest();
  return createHmac('sha256', extracted)
    .update(info)
    .update(Buffer.from([1]))
    .digest();
}

function x25519Key(raw: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' });
}

/** Five bits each, without 0, I, O and U, which people confuse. */
function toCharacters(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => '123456789ABCDEFGHJKLMNPQRSTVWXYZ'[parseInt(five, 2)]).join('');
}
