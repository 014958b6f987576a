/** Encrypts something for one device after the other, with what is kept to write to each of them, or with keys that WhatsApp has of it. */
import {
  encodeSignedDeviceIdentity,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  jidEncode,
  parseAndInjectE2ESessions,
  S_WHATSAPP_NET,
  type BinaryNode,
  type WASocket,
} from 'baileys';
import { yieldToEventLoop } from '../connect/yield-to-event-loop.ts';
import { queryInBatches, toBatches } from './query-in-batches.ts';
import { nameOf, type MemberDevice } from './find-devices.ts';

/** As many as are read, asked for and written at once. */
const MOST_DEVICES = 50;

/** A device, and how the client knows it that writes to it. */
interface Addressed {
  device: MemberDevice;
  /** By its hidden number, where that is known. */
  session: string;
  /** What is kept for that is kept under this name. */
  name: string;
}

/** What is encrypted: padded, and with what is said of it on the outside. */
export interface Sealed {
  padded: Uint8Array;
  attributes: BinaryNode['attrs'];
}

export interface EncryptedForDevices {
  /** `<to>` for each device that could be written to. */
  nodes: Array<{ device: MemberDevice; node: BinaryNode }>;
  /** Those that WhatsApp has no keys of. */
  keyless: MemberDevice[];
}

/**
 * What was used up is stored when it resolves. Rejects with what the client throws when WhatsApp cannot be asked. Devices that
 * it could not be found out about are neither among the ones nor among the others.
 */
export async function encryptForDevices(
  client: WASocket,
  devices: readonly MemberDevice[],
  what: Sealed,
): Promise<EncryptedForDevices> {
  const done: EncryptedForDevices = { nodes: [], keyless: [] };
  const strangers: Addressed[] = [];
  for (const batch of toBatches(await addressAll(client, devices), MOST_DEVICES))
    strangers.push(...(await encryptForKnown(client, batch, { what, done })));
  const { rejected: refused } = await queryInBatches(strangers, {
    most: MOST_DEVICES,
    async ask(batch) {
      const users = await fetchPreKeys(client, batch);
      await encryptForNewDevices(client, batch, { users, what, done });
    },
  });
  done.keyless.push(...refused.map(({ device }) => device));
  return done;
}

/** Groups that name their members by numbers are written to by hidden numbers all the same. */
async function addressAll(
  { authState, signalRepository }: WASocket,
  devices: readonly MemberDevice[],
): Promise<Addressed[]> {
  const numbers = devices.flatMap(({ jid }) => userOf(jid, 's.whatsapp.net') ?? []);
  const lids = numbers.length > 0 ? await authState.keys.get('lid-mapping', [...new Set(numbers)]) : {};
  return devices.map((device) => {
    const lid = lids[userOf(device.jid, 's.whatsapp.net') ?? ''];
    const session = lid === undefined ? device.jid : jidEncode(lid, 'lid', device.number);
    return { device, session, name: signalRepository.jidToSignalProtocolAddress(session) };
  });
}

function userOf(jid: string, server: string): string | undefined {
  const decoded = jidDecode(jid);
  return decoded?.server === server ? decoded.user : undefined;
}

/** Those that there is nothing to write to with. */
function encryptForKnown(
  client: WASocket,
  batch: readonly Addressed[],
  { what, done }: { what: Sealed; done: EncryptedForDevices },
): Promise<Addressed[]> {
  const { authState, signalRepository } = client;
  return withKeyTransaction(client, async () => {
    // All at once: the client would read them one by one.
    const kept = await authState.keys.get(
      'session',
      batch.map(({ name }) => name),
    );
    const strangers: Addressed[] = [];
    for (const one of batch) {
      await yieldToEventLoop();
      const isKnown =
        kept[one.name] && !one.device.isStale && (await signalRepository.validateSession(one.session)).exists;
      if (!isKnown || !(await encryptForOne(client, one, { what, done }))) strangers.push(one);
    }
    return strangers;
  });
}

function encryptForNewDevices(
  client: WASocket,
  batch: readonly Addressed[],
  { users, what, done }: { users: ReadonlyMap<string, BinaryNode>; what: Sealed; done: EncryptedForDevices },
): Promise<void> {
  return withKeyTransaction(client, async () => {
    // What there may be of an earlier time is not looked for, one by one.
    await client.authState.keys.set({ session: Object.fromEntries(batch.map(({ name }) => [name, null])) });
    for (const one of batch) {
      await yieldToEventLoop();
      const isBegun = await begin(client, users.get(one.session));
      if (!isBegun || !(await encryptForOne(client, one, { what, done }))) done.keyless.push(one.device);
    }
  });
}

/** Who we are, which a device is shown that is written to for the first time; nothing where none of these goes to one. */
export function showIdentity({ authState }: WASocket, nodes: readonly BinaryNode[]): BinaryNode[] {
  const { account } = authState.creds;
  if (!account || !nodes.some(isFirst)) return [];
  return [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }];
}

function isFirst({ content }: BinaryNode): boolean {
  return Array.isArray(content) && content.some(({ attrs }) => attrs['type'] === 'pkmsg');
}

/** What the client changes in it is written at once, and what it has read is not read again. No two at a time. */
export function withKeyTransaction<Result>({ authState }: WASocket, work: () => Promise<Result>): Promise<Result> {
  return authState.keys.transaction(work, authState.creds.me?.id ?? '');
}

/** False when what there is to write to it with is of no use. */
async function encryptForOne(
  { signalRepository }: WASocket,
  { device, session }: Addressed,
  { what, done }: { what: Sealed; done: EncryptedForDevices },
): Promise<boolean> {
  try {
    const { type, ciphertext } = await signalRepository.encryptMessage({ jid: session, data: what.padded });
    const enc = { tag: 'enc', attrs: { v: '2', type, ...what.attributes }, content: ciphertext };
    done.nodes.push({ device, node: { tag: 'to', attrs: { jid: device.jid }, content: [enc] } });
    return true;
  } catch {
    // Spoilt: there is nothing to be done but to begin anew.
    return false;
  }
}

/** By jid what WhatsApp answers about each device. */
async function fetchPreKeys(client: WASocket, batch: readonly Addressed[]): Promise<Map<string, BinaryNode>> {
  const asked = batch.map(({ device, session }) => ({
    tag: 'user',
    attrs: { jid: session, ...(device.isStale && { reason: 'identity' }) },
  }));
  const answer: BinaryNode = await client.query({
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET },
    content: [{ tag: 'key', attrs: {}, content: asked }],
  });
  const users = getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user');
  return new Map(users.map((user) => [nameOf(user.attrs['jid']) ?? '', user]));
}

/** Begins to write to a device with the keys in this answer; false when there are none. */
async function begin({ signalRepository }: WASocket, user: BinaryNode | undefined): Promise<boolean> {
  if (!user) return false;
  try {
    const list = { tag: 'list', attrs: {}, content: [user] };
    await parseAndInjectE2ESessions({ tag: 'iq', attrs: {}, content: [list] }, signalRepository);
    return true;
  } catch {
    // An error in place of keys, a part of them is missing, or the signature is not their owner's.
    return false;
  }
}
