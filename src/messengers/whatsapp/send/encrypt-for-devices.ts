/** Encrypts a message for devices, one after the other: with the session there is, or with a new one from keys that WhatsApp has. */
import type { Client } from '../client/client.ts';
import { normalizeDevice, toJid, userOn, type Jid } from '../client/jid.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';
import { readPreKeys } from '../client/pre-keys.ts';
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts';
import type { MemberDevice } from './find-devices.ts';
import { queryInBatches, toBatches } from './query-in-batches.ts';

/** Sessions are read, queried and stored in batches. */
const BATCH_SIZE = 50;

interface Addressed {
  device: MemberDevice;
  /** The JID that its session is under: its LID, where that is known. */
  session: Jid;
}

/** A padded message, and attributes of its `<enc>` node. */
export interface Plaintext {
  padded: Uint8Array;
  attributes: Node['attrs'];
}

export interface EncryptedForDevices {
  /** A `<to>` node for each device that has a session now. */
  nodes: Array<{ device: MemberDevice; node: Node }>;
  /** Devices that WhatsApp has no keys for. */
  keyless: MemberDevice[];
}

/**
 * The advanced key state is stored when it resolves. Throws as the client does when WhatsApp cannot be queried. Devices that a query
 * was given up for are in neither list.
 */
export async function encryptForDevices(
  client: Client,
  devices: readonly MemberDevice[],
  plaintext: Plaintext,
): Promise<EncryptedForDevices> {
  const done: EncryptedForDevices = { nodes: [], keyless: [] };
  const strangers: Addressed[] = [];
  for (const batch of toBatches(await addressAll(client, devices), BATCH_SIZE))
    strangers.push(...(await encryptForKnown(client, batch, { plaintext, done })));
  const { rejected } = await queryInBatches(strangers, {
    most: BATCH_SIZE,
    async ask(batch) {
      const users = await fetchPreKeys(client, batch);
      await encryptForNew(client, batch, { users, plaintext, done });
    },
  });
  done.keyless.push(...rejected.map(({ device }) => device));
  return done;
}

/** Sessions are under LIDs, also in groups that address their members by phone number. */
async function addressAll({ lids }: Client, devices: readonly MemberDevice[]): Promise<Addressed[]> {
  const numberOf = ({ jid }: MemberDevice) => userOn('s.whatsapp.net', jid);
  const known = await lids.findLids([...new Set(devices.flatMap((device) => numberOf(device) ?? []))]);
  return devices.map((device) => {
    const lid = known.get(numberOf(device) ?? '');
    return { device, session: lid === undefined ? device.jid : toJid(lid, 'lid', device.number) };
  });
}

interface Work {
  plaintext: Plaintext;
  done: EncryptedForDevices;
}

/** Resolves to the devices without a usable session. */
function encryptForKnown({ signal }: Client, batch: readonly Addressed[], work: Work): Promise<Addressed[]> {
  return signal.transaction(async () => {
    const fresh = batch.filter(({ device }) => !device.isStale);
    const known = await signal.findSessions(fresh.map(({ session }) => session));
    const strangers: Addressed[] = [];
    for (const one of batch) {
      await yieldToEventLoop();
      const isKnown = !one.device.isStale && known.has(one.session);
      if (!isKnown || !(await encryptForOne(signal, one, work))) strangers.push(one);
    }
    return strangers;
  });
}

function encryptForNew(
  { signal }: Client,
  batch: readonly Addressed[],
  { users, ...work }: Work & { users: ReadonlyMap<Jid, Node> },
): Promise<void> {
  return signal.transaction(async () => {
    // So that the library does not read earlier sessions, one by one.
    await signal.dropSessions(batch.map(({ session }) => session));
    for (const one of batch) {
      await yieldToEventLoop();
      const hasSession = await startSession(signal, one.session, users.get(one.session));
      if (!hasSession || !(await encryptForOne(signal, one, work))) work.done.keyless.push(one.device);
    }
  });
}

/** The account's identity, which goes with the first message of a session; nothing if none of these is one. */
export function identityFor({ signal }: Client, nodes: readonly Node[]): Node[] {
  const identity = nodes.some(isFirst) ? signal.deviceIdentity() : undefined;
  return identity ? [identity] : [];
}

const isFirst = (node: Node) => childOf(node, 'enc')?.attrs['type'] === 'pkmsg';

/** False if the session is of no use. */
async function encryptForOne(
  signal: Client['signal'],
  { device, session }: Addressed,
  { plaintext, done }: Work,
): Promise<boolean> {
  try {
    const { type, ciphertext } = await signal.encrypt(session, plaintext.padded);
    const enc = { tag: 'enc', attrs: { v: '2', type, ...plaintext.attributes }, content: ciphertext };
    done.nodes.push({ device, node: { tag: 'to', attrs: { jid: device.jid }, content: [enc] } });
    return true;
  } catch {
    // A corrupt session: a new one takes its place.
    return false;
  }
}

/** WhatsApp's answer about each device, by JID. */
async function fetchPreKeys(client: Client, batch: readonly Addressed[]): Promise<Map<Jid, Node>> {
  const users = batch.map(({ device, session }) => ({
    tag: 'user',
    attrs: { jid: session, ...(device.isStale && { reason: 'identity' }) },
  }));
  const content = [{ tag: 'key', attrs: {}, content: users }];
  const answer = await client.query({ type: 'get', xmlns: 'encrypt', content });
  return new Map(
    childrenOf(childOf(answer, 'list'), 'user').map((user) => [normalizeDevice(user.attrs['jid']) ?? '', user]),
  );
}

/** False if the answer has no keys for the device. */
async function startSession(signal: Client['signal'], device: Jid, user: Node | undefined): Promise<boolean> {
  const keys = user && readPreKeys(user);
  if (!keys) return false;
  try {
    await signal.startSession(device, keys);
    return true;
  } catch {
    // A signature that is not the owner's.
    return false;
  }
}
