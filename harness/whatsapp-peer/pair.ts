/** How a phone links a new device: by scanning its QR code, or by entering the code it shows. */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve,
  derivePairingCodeKey,
  proto,
  WA_ADV_ACCOUNT_SIG_PREFIX,
  type KeyPair,
} from 'baileys';
import type { Connection } from './connection.ts';
import { Outbox } from './outbox.ts';
import { demandPasskey, type PasskeyLink } from './passkey.ts';
import type { PeerState } from './state.ts';
import { bytesOf, child, element, need, seconds, SERVER, type Stanza } from './stanza.ts';
import { companionLid, companionNumber, type Companion, type Person } from './world.ts';

export interface Pairing {
  /** The contents of its QR codes, in order. */
  refs: string[];
  /** Set if it requested a pairing code for the phone with that number. */
  code: { number: string; wrapped: Buffer } | undefined;
  /** The revoked secret. */
  withdrawn: string | undefined;
  /** Called with the client's last message of pairing by code. */
  finish: ((stanza: Stanza) => void) | undefined;
  /** Set while the phone waits for a passkey. */
  passkey: PasskeyLink | undefined;
}

const RESTART = element('stream:error', { code: '515' });

export function offerCodes(state: PeerState, connection: Connection): void {
  const refs = Array.from({ length: state.script.codes }, () => randomBytes(12).toString('base64'));
  connection.pairing = { refs, code: undefined, withdrawn: undefined, finish: undefined, passkey: undefined };
  const offers = refs.map((ref) => element('ref', {}, Buffer.from(ref)));
  const attributes = { from: SERVER, type: 'set', id: state.nextId(), xmlns: 'md' };
  connection.send(element('iq', attributes, [element('pair-device', {}, offers)]));
}

/** Handles a client's query while it links by a code. Returns the answer. */
export function continuePairing(connection: Connection, step: Stanza): Stanza[] | undefined {
  const { pairing } = connection;
  if (!pairing) return undefined;
  if (step.attrs['stage'] === 'companion_hello') {
    const wrapped = bytesOf(need(step, 'link_code_pairing_wrapped_companion_ephemeral_pub'));
    pairing.code = { number: step.attrs['jid']?.split('@')[0] ?? '', wrapped };
    return [element('link_code_companion_reg', {}, [element('link_code_pairing_ref', {}, Buffer.from('ref'))])];
  }
  queueMicrotask(() => pairing.finish?.(step));
  return [];
}

/** The person's phone scans the code. Rejects if no client shows it any more, or if the client does not continue. */
export async function scanQr(state: PeerState, person: Person, qr: string): Promise<Companion> {
  const [ref = '', , identity = '', secret = ''] = qr.split('#').at(-1)?.split(',') ?? [];
  const connection = [...state.connections].find(({ pairing }) => pairing?.refs.includes(ref));
  if (!connection?.pairing) throw new Error('nobody shows this QR code');
  if (state.script.withdrawsSecrets) withdraw(state, connection, connection.pairing, secret);
  return link(state, connection, person, Buffer.from(identity, 'base64'), Buffer.from(secret, 'base64'));
}

/** Revokes the first secret that a phone sends: no device can link with it any more. */
function withdraw(state: PeerState, connection: Connection, pairing: Pairing, secret: string): void {
  const isFirst = pairing.withdrawn === undefined;
  pairing.withdrawn ??= secret;
  const attributes = { from: SERVER, type: 'companion_reg_refresh', id: state.nextId(), t: seconds() };
  if (isFirst) connection.send(element('notification', attributes, [element('companion_reg_refresh')]));
  if (pairing.withdrawn === secret) throw new Error('the secret was withdrawn');
}

/** The person enters the eight characters on their phone. */
export async function enterCode(state: PeerState, person: Person, code: string): Promise<Companion> {
  const connection = [...state.connections].find(({ pairing }) => pairing?.code?.number === person.number);
  const wrapped = connection?.pairing?.code?.wrapped;
  if (!connection?.pairing || !wrapped) throw new Error('nobody asked to be linked to this phone by a code');
  const theirKey = await unwrap(wrapped, code);
  const ephemeral = Curve.generateKeyPair();
  const identity = phoneIdentity(person);
  const finished = Promise.withResolvers<Stanza>();
  connection.pairing.finish = finished.resolve;
  const { withholdsCodeKey } = state.script;
  const hello = [
    element('link_code_pairing_ref', {}, Buffer.from('ref')),
    element('primary_identity_pub', {}, identity.public),
    ...(withholdsCodeKey
      ? []
      : [element('link_code_pairing_wrapped_primary_ephemeral_pub', {}, await wrap(ephemeral.public, code))]),
  ];
  const attributes = { from: SERVER, type: 'link_code_companion_reg', id: state.nextId(), t: seconds() };
  connection.send(
    element('notification', attributes, [element('link_code_companion_reg', { stage: 'primary_hello' }, hello)]),
  );
  // The secret of the device is agreed with its passkey: what the phone knows of it is nothing.
  if (withholdsCodeKey) return link(state, connection, person, Buffer.alloc(0), randomBytes(32));
  const bundle = bytesOf(need(await finished.promise, 'link_code_pairing_wrapped_key_bundle'));
  const shared = Curve.sharedKey(ephemeral.private, theirKey);
  const plain = openBundle(bundle, shared);
  const theirIdentity = plain.subarray(0, 32);
  const secret = Buffer.concat([shared, Curve.sharedKey(identity.private, theirIdentity), plain.subarray(64, 96)]);
  const advSecret = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'adv_secret', 32));
  return link(state, connection, person, theirIdentity, advSecret);
}

async function unwrap(wrapped: Buffer, code: string): Promise<Buffer> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, 32));
  return aesDecryptCTR(wrapped.subarray(48), key, wrapped.subarray(32, 48));
}

async function wrap(key: Uint8Array, code: string): Promise<Buffer> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  return Buffer.concat([salt, iv, aesEncryptCTR(key, await derivePairingCodeKey(code, salt), iv)]);
}

function openBundle(bundle: Buffer, shared: Uint8Array): Buffer {
  const info = 'link_code_pairing_key_bundle_encryption_key';
  const key = Buffer.from(hkdfSync('sha256', shared, bundle.subarray(0, 32), info, 32));
  return aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(32, 44), Buffer.alloc(0));
}

/** The phone signs the identity of the new device, which may then log in. */
async function link(
  state: PeerState,
  connection: Connection,
  person: Person,
  shownIdentity: Buffer,
  shownSecret: Buffer,
): Promise<Companion> {
  const { cutPairing, asksForPasskey } = state.script;
  if (cutPairing === 'before it hears') return breakOff(connection);
  const { identity, advSecret } = asksForPasskey
    ? await demandPasskey(state, connection, person, shownSecret)
    : { identity: shownIdentity, advSecret: shownSecret };
  const device = ++person.lastDevice;
  const companion: Companion = { person, device, bundle: undefined, connection: undefined, outbox: new Outbox() };
  const attributes = { from: SERVER, type: 'set', id: state.nextId(), xmlns: 'md' };
  const gone = new Promise<never>((_, reject) => {
    connection.onClose(() => reject(new Error('the client hung up instead of signing')));
  });
  const { forgesPairing } = state.script;
  const signer = forgesPairing === 'signature' ? Curve.generateKeyPair() : phoneIdentity(person);
  const secret = forgesPairing === 'hmac' ? randomBytes(32) : advSecret;
  const offer = element('iq', attributes, [element('pair-success', {}, vouchFor(companion, identity, secret, signer))]);
  const signed = await Promise.race([connection.request(offer), gone]);
  if (!child(signed, 'pair-device-sign')) throw new Error('the client did not sign');
  if (cutPairing === 'before it signs') return breakOff(connection);
  person.companions.set(device, companion);
  if (cutPairing === 'after it signs') return breakOff(connection);
  connection.end(RESTART);
  return companion;
}

function breakOff(connection: Connection): never {
  connection.cut();
  throw new Error('the connection broke');
}

/** `signer` should be the phone. */
function vouchFor(companion: Companion, identity: Buffer, advSecret: Buffer, signer: KeyPair): Stanza[] {
  const phone = phoneIdentity(companion.person);
  const timestamp = Math.floor(Date.now() / 1_000);
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp, keyIndex: companion.device }).finish();
  const accountSignature = Curve.sign(signer.private, Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, identity]));
  const signed = { details, accountSignatureKey: phone.public, accountSignature };
  const bytes = proto.ADVSignedDeviceIdentity.encode(signed).finish();
  const hmac = createHmac('sha256', advSecret).update(bytes).digest();
  return [
    element('device-identity', {}, proto.ADVSignedDeviceIdentityHMAC.encode({ details: bytes, hmac }).finish()),
    element('device', { jid: companionNumber(companion), lid: companionLid(companion) }),
    element('platform', { name: 'android' }),
  ];
}

function phoneIdentity(person: Person) {
  const phone = person.devices[0];
  if (!phone) throw new Error('this person has no phone');
  return phone.creds.signedIdentityKey;
}
