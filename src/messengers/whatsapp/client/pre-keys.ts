import { bytesOf, childOf, type Node } from './node.ts';

/** The keys of a device that a session with it starts from. Public keys have 32 bytes. */
export interface PreKeyBundle {
  registrationId: number;
  identityKey: Uint8Array;
  signedPreKey: { keyId: number; publicKey: Uint8Array; signature: Uint8Array };
  /** For one use. A device may have none left. */
  preKey?: { keyId: number; publicKey: Uint8Array } | undefined;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Returns the keys of a device in WhatsApp's answer about it. Undefined if there are none, or not all. */
export const readPreKeys = (user: Node): PreKeyBundle | undefined => parsePreKeys(user, user);

/** Returns the keys that a retry receipt brings. Undefined if there are none, or not all. */
export const readPreKeysOfRetry = (receipt: Node): PreKeyBundle | undefined =>
  parsePreKeys(receipt, childOf(receipt, 'keys'));

function parsePreKeys(outer: Node, keys: Node | undefined): PreKeyBundle | undefined {
  const registrationId = readUint(childOf(outer, 'registration'), 4);
  const identityKey = bytesOf(childOf(keys, 'identity'));
  const signed = childOf(keys, 'skey');
  const signedPreKey = parseKey(signed);
  const signature = bytesOf(childOf(signed, 'signature'));
  const single = childOf(keys, 'key');
  const preKey = parseKey(single);
  if (registrationId === undefined || identityKey.length !== KEY_BYTES) return undefined;
  if (!signedPreKey || signature.length !== SIGNATURE_BYTES || (single && !preKey)) return undefined;
  return { registrationId, identityKey, signedPreKey: { ...signedPreKey, signature }, preKey };
}

function parseKey(node: Node | undefined): { keyId: number; publicKey: Uint8Array } | undefined {
  const keyId = readUint(childOf(node, 'id'), 3);
  const publicKey = bytesOf(childOf(node, 'value'));
  return keyId === undefined || publicKey.length !== KEY_BYTES ? undefined : { keyId, publicKey };
}

/** Big-endian. */
export function readUint(node: Node | undefined, length: number): number | undefined {
  const bytes = bytesOf(node);
  return bytes.length === length ? bytes.readUIntBE(0, length) : undefined;
}
