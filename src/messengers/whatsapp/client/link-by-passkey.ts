/**
 * The protocol by which a device links to a number that has a passkey ("Shortcake"). It follows whatsmeow and zapo; nothing here was run
 * against WhatsApp (docs/explanation/decisions/0086-link-numbers-that-have-a-passkey-and-keep-an-ended-link.md).
 *
 *   WhatsApp  passkey_prologue_request    a phone has agreed: the challenge of the passkey
 *   device    ref, passkey_prologue       the assertion, and a commitment to a nonce and a key
 *   WhatsApp  crsc_continuation           the phone's key and nonce
 *   device    companion_nonce             both show eight characters
 *   device    encrypted_pairing_request   the keys that the phone is to sign, encrypted for it
 *   WhatsApp  pair-success                as without a passkey
 */
import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { bytesToCrockford, Curve, proto, type KeyPair, type WASocket } from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import type { Client } from './client.ts';
import type { PasskeyLink, PasskeyListener, PasskeyOptions } from './engine.ts';
import { QueryRejectedError } from './errors.ts';
import { bytesOf, childOf, notificationAck, textOf, type Node } from './node.ts';

interface Linking {
  socket: WASocket;
  client: Client;
  log: Log;
  /** How long a phone trusts the secret in the code that it has read, in milliseconds. */
  handoffMs: number;
  listener: PasskeyListener;
  /** Called when a phone has agreed: no other phone has to. */
  stopCodes(): void;
}

/** What the device has committed to. */
interface Attempt {
  key: KeyPair;
  nonce: Buffer;
  ref: string;
}

interface State extends Linking {
  /** The phone knows the secret of this device, from a QR code or since it has answered a pairing code. */
  isSecretShared: boolean;
  handoff: { key: Buffer; untilMs: number } | undefined;
  attempt: Attempt | undefined;
}

/** As the library registers the device. */
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;
const FROM_SERVER = /^@?s\.whatsapp\.net$/;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const CODE_BYTES = 5;
/** Shorter than the wait of the user's request, also for three answers. */
const ANSWER_MS = 7_000;

const HANDLERS: Readonly<Record<string, (state: State, stanza: Node) => Promise<void> | void>> = {
  passkey_prologue_request: takeRequest,
  crsc_continuation: takeContinuation,
  // A phone whose number has a passkey may give no key for a pairing code; the library fails without one.
  link_code_companion_reg(state) {
    state.isSecretShared = false;
  },
};

const hasCodeKey = (stanza: Node): boolean =>
  childOf(childOf(stanza, 'link_code_companion_reg'), 'link_code_pairing_wrapped_primary_ephemeral_pub') !== undefined;

export function linkByPasskey(linking: Linking): PasskeyLink {
  const { client, listener } = linking;
  const state: State = { ...linking, isSecretShared: true, handoff: undefined, attempt: undefined };
  client.interceptStanzas('notification', (stanza, pass) => {
    const { type = '', from = '' } = stanza.attrs;
    const handle = FROM_SERVER.test(from) ? HANDLERS[type] : undefined;
    // The library acknowledges it and does nothing, or fails before there is a number.
    if (!handle || hasCodeKey(stanza)) return pass();
    void client
      .sendNode(notificationAck(stanza))
      .then(() => handle(state, stanza))
      .catch(listener.onFailure);
  });
  return { submit: (assertion) => submit(state, assertion), fetchOptions: () => fetchOptions(state) };
}

const query = ({ client }: State, type: 'get' | 'set', node: Node): Promise<Node> =>
  client.query({ type, xmlns: 'md', content: [node] }, ANSWER_MS);

const element = (tag: string, content?: Node['content']): Node => ({
  tag,
  attrs: {},
  ...(content !== undefined && { content }),
});

const fetchOptions = async (state: State): Promise<PasskeyOptions> =>
  readOptions(await query(state, 'get', element('passkey_request_options')));

async function takeRequest(state: State, stanza: Node): Promise<void> {
  const { socket, handoffMs, listener, stopCodes } = state;
  stopCodes();
  const secret = Buffer.from(socket.authState.creds.advSecretKey, 'base64');
  // A repeated request must not replace the key by one that the phone does not know.
  if (state.isSecretShared)
    state.handoff ??= {
      key: derive(secret, '', 'shortcake-passkey-handoff-v1'),
      untilMs: performance.now() + handoffMs,
    };
  const hasOptions = childOf(stanza, 'passkey_request_options') !== undefined;
  listener.onRequest(hasOptions ? readOptions(stanza) : await fetchOptions(state));
}

async function submit(state: State, { credentialId, json }: { credentialId: Uint8Array; json: string }): Promise<void> {
  const ref = textOf(childOf(await query(state, 'get', element('ref')), 'ref'));
  const begun: Attempt = { key: Curve.generateKeyPair(), nonce: randomBytes(KEY_BYTES), ref };
  const payload = prologueOf(begun);
  const { handoff } = state;
  const isTrusted = handoff !== undefined && performance.now() < handoff.untilMs;
  const proof = isTrusted && createHmac('sha256', handoff.key).update(payload).digest();
  // Before the query: the phone's answer may come first.
  state.attempt = begun;
  try {
    await query(
      state,
      'set',
      element('passkey_prologue', [
        element('credential_id', credentialId),
        element('webauthn_assertion', Buffer.from(json)),
        element('prologue_payload', payload),
        ...(proof ? [element('pairing_handoff_proof', proof)] : []),
      ]),
    );
  } catch (error) {
    if (error instanceof QueryRejectedError && state.attempt === begun) state.attempt = undefined;
    throw error;
  }
}

async function takeContinuation(state: State, stanza: Node): Promise<void> {
  const { socket, log, listener, attempt } = state;
  if (!attempt) return log.warn('WhatsApp continued to link a device by a passkey that was not shown');
  state.attempt = undefined;
  const phone = readPhone(stanza);
  await query(state, 'set', element('companion_nonce', attempt.nonce));
  listener.onVerificationCode(verificationCodeOf(attempt, phone));
  const { creds } = socket.authState;
  const secret = randomBytes(KEY_BYTES);
  const request = proto.PairingRequest.encode({
    companionPublicKey: creds.noiseKey.public,
    companionIdentityKey: creds.signedIdentityKey.public,
    advSecret: secret,
  }).finish();
  // Before the query: the phone's signature, which is checked with it, may come first.
  creds.advSecretKey = secret.toString('base64');
  await query(state, 'set', element('encrypted_pairing_request', encryptFor(phone.publicKey, attempt, request)));
}

/** Throws when there are no options, or no challenge in them. */
function readOptions(stanza: Node): PasskeyOptions {
  const options: unknown = JSON.parse(textOf(childOf(stanza, 'passkey_request_options')));
  if (typeof options !== 'object' || options === null || !('challenge' in options)) throw new Error('no challenge');
  const { challenge } = options;
  if (typeof challenge !== 'string') throw new Error('no challenge');
  return { ...options, challenge };
}

function readPhone(stanza: Node) {
  const bytes = bytesOf(childOf(stanza, 'primary_ephemeral_identity'));
  const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes);
  if (publicKey?.length !== KEY_BYTES || nonce?.length !== KEY_BYTES) throw new Error('the phone gave no key');
  return { publicKey, nonce };
}

function prologueOf({ key, nonce, ref }: Attempt): Uint8Array {
  const identity = { publicKey: key.public, deviceType: DEVICE_TYPE, ref };
  const companionEphemeralIdentity = proto.CompanionEphemeralIdentity.encode(identity).finish();
  const hash = createHash('sha256').update(companionEphemeralIdentity).update(nonce).digest();
  return proto.ProloguePayload.encode({ companionEphemeralIdentity, commitment: { hash } }).finish();
}

function verificationCodeOf({ nonce }: Attempt, phone: ReturnType<typeof readPhone>): string {
  const digest = createHash('sha256').update(nonce).update(phone.publicKey).digest();
  return bytesToCrockford(
    Buffer.from(digest.subarray(0, CODE_BYTES).map((byte, index) => byte ^ (phone.nonce[index] ?? 0))),
  );
}

function encryptFor(publicKey: Uint8Array, { key, ref }: Attempt, request: Uint8Array): Uint8Array {
  const salt = `Companion Pairing ${DEVICE_TYPE} with ref ${ref}`;
  const shared = Curve.sharedKey(key.private, publicKey);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derive(shared, salt, 'Pairing Information Encryption Key'), iv);
  const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
  return proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
}

const derive = (secret: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES));
