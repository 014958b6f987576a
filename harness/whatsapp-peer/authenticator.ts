/** The passkey of a person, as their phone or browser uses it on WhatsApp's page, and as WhatsApp's server checks it (WebAuthn). */
import { createHash, generateKeyPairSync, randomBytes, sign, verify, type KeyObject } from 'node:crypto';
import type { Person } from './world.ts';

/** The JSON form of the options of `navigator.credentials.get`. */
export interface PasskeyOptions {
  challenge: string;
  rpId: string;
  [option: string]: unknown;
}

/** The JSON form of the answer; bytes are base64url. */
export interface Assertion {
  id: string;
  rawId: string;
  type: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null };
}

interface Passkey {
  id: Buffer;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

const ORIGIN = 'https://web.whatsapp.com';
const PRESENT = 0x01;
const VERIFIED = 0x04;
const passkeys = new WeakMap<Person, Passkey>();

function passkeyOf(person: Person): Passkey {
  const known = passkeys.get(person);
  if (known) return known;
  const created = { id: randomBytes(20), ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
  passkeys.set(person, created);
  return created;
}

/** The person's passkey for the virtual authenticator of a browser. */
export function exportPasskey(person: Person): { credentialId: string; privateKey: string } {
  const { id, privateKey } = passkeyOf(person);
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  return { credentialId: id.toString('base64'), privateKey: der.toString('base64') };
}

/** Signs the options on a page with this origin, as `navigator.credentials.get` does. */
export function signChallenge(person: Person, { challenge, rpId }: PasskeyOptions, origin = ORIGIN): Assertion {
  const { id, privateKey } = passkeyOf(person);
  const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }));
  const counter = Buffer.alloc(4);
  const authenticatorData = Buffer.concat([hash(Buffer.from(rpId)), Buffer.from([PRESENT | VERIFIED]), counter]);
  const signature = sign('sha256', Buffer.concat([authenticatorData, hash(clientData)]), privateKey);
  return {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: null,
    },
  };
}

/** Returns what is wrong with an assertion, if anything. */
export function checkAssertion(
  person: Person,
  options: PasskeyOptions,
  sent: { assertion: Buffer; credentialId: Buffer },
): string | undefined {
  const { id, publicKey } = passkeyOf(person);
  const { rawId, type, response } = JSON.parse(sent.assertion.toString()) as Assertion;
  if (!sent.credentialId.equals(id) || rawId !== id.toString('base64url')) return 'an unknown passkey';
  if (type !== 'public-key') return 'an unknown type';
  const bytes = (name: 'clientDataJSON' | 'authenticatorData' | 'signature') =>
    Buffer.from(response[name], 'base64url');
  const client = JSON.parse(bytes('clientDataJSON').toString()) as { type: string; challenge: string; origin: string };
  if (client.type !== 'webauthn.get' || client.challenge !== options.challenge) return 'another challenge';
  if (client.origin !== ORIGIN) return 'another page';
  const data = bytes('authenticatorData');
  const flags = data[32] ?? 0;
  if (!data.subarray(0, 32).equals(hash(Buffer.from(options.rpId)))) return 'another relying party';
  if ((flags & PRESENT) === 0 || (flags & VERIFIED) === 0) return 'nobody was there';
  const signed = Buffer.concat([data, hash(bytes('clientDataJSON'))]);
  return verify('sha256', signed, publicKey, bytes('signature')) ? undefined : 'a wrong signature';
}

const hash = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
