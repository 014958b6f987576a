/** Queries for the devices of people and their Signal keys. */
import { encodeBigEndian, generateSignalPubKey, jidDecode } from 'baileys';
import type { Connection } from './connection.ts';
import type { QueryAnswer } from './answer-queries.ts';
import { isSignedBy } from './independent-keys.ts';
import type { PeerState } from './state.ts';
import {
  bytesOf,
  child,
  children,
  element,
  elementsOf,
  need,
  SERVER,
  textOf,
  type Stanza,
  actionOf,
} from './stanza.ts';
import { companionOf, deviceOf, lidOf, personOf, type Companion } from './world.ts';

export async function answerKeyQuery(state: PeerState, connection: Connection, query: Stanza): Promise<QueryAnswer> {
  const { companion } = connection;
  if (!companion) return undefined;
  switch (actionOf(query)) {
    case 'count':
      return [element('count', { value: String(companion.bundle?.preKeys.length ?? 0) })];
    case 'digest':
      return [element('digest')];
    case 'rotate':
      return rotateKey(companion, need(query, 'rotate'));
    case 'key':
      return handOutKeys(state, elementsOf(need(query, 'key')));
    default:
      if (query.attrs['type'] !== 'set') return undefined;
      companion.bundle = readBundle(query);
      return [];
  }
}

/** Other clients were rejected with more than 500, and recommend this. */
const MOST_USERS = 100;
const TOO_MANY = 400;

async function handOutKeys({ world, script }: PeerState, users: Stanza[]): Promise<QueryAnswer> {
  if (users.length > MOST_USERS) return TOO_MANY;
  const asked = users.map(({ attrs: { jid = '' } }) => ({ jid, verdict: script.keysOf(jid) }));
  for (const { verdict } of asked) if (typeof verdict === 'object' && 'refuseAll' in verdict) return verdict.refuseAll;
  const answers = asked.map(({ jid, verdict }) => {
    if (verdict === 'none') return element('user', { jid });
    if (verdict !== 'given' && verdict !== 'forged')
      return element('user', { jid }, [errorOf('error' in verdict ? verdict.error : 406)]);
    const device = deviceOf(world, jid);
    if (device) return device.bundle(jid, verdict === 'forged');
    const companion = companionOf(world, jid);
    if (companion?.bundle) return bundleOf(companion, jid);
    return element('user', { jid }, [errorOf(404)]);
  });
  return [element('list', {}, await Promise.all(answers))];
}

const errorOf = (code: number) => element('error', { code: String(code), text: 'refused' });

const INVALID = 406;

/** Other devices get the signed prekey from then on, if the device has signed it and no other key has its id. */
function rotateKey({ bundle }: Companion, rotation: Stanza): QueryAnswer {
  if (!bundle) return INVALID;
  const signed = need(rotation, 'skey');
  const signature = bytesOf(need(signed, 'signature'));
  const key = readKey(signed);
  const isSigned = isSignedBy(bundle.identityKey, key.publicKey, signature);
  const { keyId, publicKey } = bundle.signedPreKey;
  const isTaken = key.keyId === keyId && !Buffer.from(key.publicKey).equals(Buffer.from(publicKey));
  if (!isSigned || isTaken) return INVALID;
  bundle.signedPreKey = { ...key, signature };
  return [];
}

const readKey = (key: Stanza) => ({
  keyId: bytesOf(need(key, 'id')).readUIntBE(0, 3),
  publicKey: generateSignalPubKey(bytesOf(need(key, 'value'))),
});

function readBundle(upload: Stanza): NonNullable<Companion['bundle']> {
  const signed = need(upload, 'skey');
  return {
    registrationId: bytesOf(need(upload, 'registration')).readUInt32BE(0),
    identityKey: generateSignalPubKey(bytesOf(need(upload, 'identity'))),
    signedPreKey: { ...readKey(signed), signature: bytesOf(need(signed, 'signature')) },
    preKeys: children(need(upload, 'list'), 'key').map(readKey),
  };
}

/** Removes and returns a one-time prekey. */
function bundleOf({ bundle }: Companion, jid: string): Stanza {
  if (!bundle) throw new Error('the client has uploaded no keys');
  const preKey = bundle.preKeys.shift();
  // Keys are stored with a prefix byte for their curve.
  const raw = (key: Uint8Array) => Buffer.from(key).subarray(1);
  const { signedPreKey } = bundle;
  const parts = [
    element('registration', {}, encodeBigEndian(bundle.registrationId)),
    element('type', {}, Buffer.from([5])),
    element('identity', {}, raw(bundle.identityKey)),
    element('skey', {}, [
      element('id', {}, encodeBigEndian(signedPreKey.keyId, 3)),
      element('value', {}, raw(signedPreKey.publicKey)),
      element('signature', {}, signedPreKey.signature),
    ]),
  ];
  if (preKey) {
    const key = [element('id', {}, encodeBigEndian(preKey.keyId, 3)), element('value', {}, raw(preKey.publicKey))];
    parts.push(element('key', {}, key));
  }
  return element('user', { jid }, parts);
}

/** A device on WhatsApp's own servers, which groups are not encrypted for. */
const HOSTED = { id: '99', 'key-index': '1', is_hosted: 'true' };

/** Answers whether people are on WhatsApp, their LIDs and their devices, as the query requests. */
export function findUsers({ world, script }: PeerState, usync: Stanza): QueryAnswer {
  const query = need(usync, 'query');
  const wants = (what: string) => child(query, what) !== undefined;
  if (elementsOf(need(usync, 'list')).length > MOST_USERS) return TOO_MANY;
  const found = elementsOf(need(usync, 'list')).flatMap((user) => {
    const asked = textOf(child(user, 'contact')).replaceAll(/\D/g, '');
    const jid = user.attrs['jid'] ?? `${asked}@${SERVER}`;
    const person = personOf(world, jid);
    if (!person) return element('user', { jid }, wants('contact') ? [element('contact', { type: 'out' })] : []);
    const verdict = wants('devices') ? script.devicesOf(jid) : 'given';
    if (verdict === 'nobody') return [];
    const answers: Stanza[] = [];
    if (wants('contact')) answers.push(element('contact', { type: 'in' }));
    if (wants('lid') && jid.endsWith(SERVER) && !script.hidesLidOf(jid))
      answers.push(element('lid', { val: lidOf(person) }));
    if (wants('devices') && verdict !== 'missing') {
      const own = person.devices.map((device) => jidDecode(device.jid)?.device ?? 0);
      const numbers = verdict === 'empty' ? [] : [...own, ...person.companions.keys()];
      const devices = numbers.map((id) =>
        element('device', { id: String(id), 'key-index': id === 0 ? undefined : String(id) }),
      );
      if (script.hasHostedDevice(jid)) devices.push(element('device', HOSTED));
      answers.push(element('devices', {}, [element('device-list', {}, devices)]));
    }
    return element('user', { jid }, answers);
  });
  const kinds = elementsOf(query).map(({ tag }) => element(tag));
  return [element('usync', usync.attrs, [element('result', {}, kinds), element('list', {}, found)])];
}
