/** An engine, a WhatsApp peer, and an account that it links: for the contract of an engine. */
import { onTestFinished } from 'vitest';
import type { Query } from '../../../src/messengers/whatsapp/client/client.ts';
import type { Credentials, Engine, Socket, SocketOptions } from '../../../src/messengers/whatsapp/client/engine.ts';
import type { CloseReason } from '../../../src/messengers/whatsapp/client/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { IndependentDevice, type Encrypted } from '../../../harness/whatsapp-peer/independent-signal.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../harness/whatsapp-peer/peer.ts';
import { takeBundle } from '../../../harness/whatsapp-peer/phones.ts';
import { encodeFields } from '../../../harness/whatsapp-peer/protobuf-fields.ts';
import { element, seconds, type Stanza } from '../../../harness/whatsapp-peer/stanza.ts';
import { lidOf, numberOf, type Companion, type Person } from '../../../harness/whatsapp-peer/world.ts';
import { createStorageInMemory, type StorageInMemory } from './storage-in-memory.ts';

export interface EngineScene {
  peer: WhatsAppPeer;
  engine: Engine;
  /** Signatures that the engine has doubted. */
  doubts: string[];
  /** Links a new account by its QR code, and closes the connection. */
  link(): Promise<LinkedAccount>;
  /** Opens a connection that ends with the test. */
  open(credentials: Credentials, options?: Partial<SocketOptions>): Socket;
  /** As `open`, and resolves when it is logged in. */
  online(credentials: Credentials, options?: Partial<SocketOptions>): Promise<Socket>;
  stop(): Promise<void>;
}

export interface LinkedAccount {
  storage: StorageInMemory;
  credentials: Credentials;
  phone: Person;
  companion: Companion;
  /** Why the connection ended that linked it. */
  ended: CloseReason;
}

/** The scene and its account, once they are there. */
export interface Known {
  scene(): EngineScene;
  account(): LinkedAccount;
  createEngine(): Engine;
}

export const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => undefined).catch((error: unknown) => error);

/** A query that any account may make. */
export const mediaQuery = (): Query => ({ type: 'get', xmlns: 'w:m', content: [{ tag: 'media_conn', attrs: {} }] });

const VERSION: [number, number, number] = [2, 3_000, 1_043_857_760];
let people = 0;
export const newNumber = () => `44770095${String(++people).padStart(4, '0')}`;

export async function startEngineScene(createEngine: () => Engine): Promise<EngineScene> {
  const peer = await startWhatsAppPeer();
  const engine = createEngine();
  const doubts: string[] = [];
  const rules = { rootKey: Buffer.from(peer.rootKey, 'hex'), isEnforced: true };
  engine.prepare(createLog('fatal'), { ...rules, onDoubt: (doubt) => doubts.push(doubt) });

  function open(credentials: Credentials, options: Partial<SocketOptions> = {}): Socket {
    const socket = credentials.openSocket({ ...optionsFor(peer), ...options });
    onTestFinished(async () => {
      socket.end();
      await socket.ended;
    });
    return socket;
  }

  async function link(): Promise<LinkedAccount> {
    const storage = createStorageInMemory();
    const phone = peer.addPerson(newNumber());
    const credentials = engine.newCredentials(storage);
    let scanned: Promise<Companion> | undefined;
    let saved = Promise.resolve();
    const socket = credentials.openSocket({
      ...optionsFor(peer),
      onQr: (qr) => (scanned ??= peer.scan(phone, qr)),
      onCredentials: () => (saved = saved.then(() => credentials.save())),
    });
    const ended = await socket.ended;
    await saved;
    if (!scanned) throw new Error('the engine has shown no code');
    return { storage, credentials, phone, companion: await scanned, ended };
  }

  return {
    peer,
    engine,
    doubts,
    link,
    open,
    async online(credentials, options) {
      const socket = open(credentials, options);
      await Promise.race([
        socket.opened,
        socket.ended.then(({ code }) => Promise.reject(new Error(`it ended with ${code}`))),
      ]);
      return socket;
    },
    stop: () => peer.stop(),
  };
}

function optionsFor({ url }: WhatsAppPeer): SocketOptions {
  return {
    url,
    proxy: undefined,
    version: VERSION,
    outcomeMs: 60_000,
    queryMs: 60_000,
    now: () => Promise.resolve(Date.now()),
    qrMs: undefined,
    log: createLog('fatal'),
    onCredentials: () => undefined,
    onQr: () => undefined,
    onLastQr: () => undefined,
    handoffMs: 300_000,
    passkey: undefined,
    onRestriction: () => undefined,
    onUnanswered: () => undefined,
    onLidMappings: () => Promise.resolve(),
    canRecord: () => Promise.resolve(true),
    onClient: () => undefined,
  };
}

/** The bytes of a message with this text, and the padding of four bytes that precedes encryption. */
export const paddedText = (text: string): Buffer => pad(encodeFields({ 1: Buffer.from(text) }));
const pad = (message: Buffer) => Buffer.concat([message, Buffer.alloc(4, 4)]);

/** A member of a group with a device that shares no code with the engine. */
export interface Member {
  person: Person;
  device: IndependentDevice;
}

export const addMember = ({ peer }: EngineScene): Member => ({
  person: peer.addPerson(newNumber()),
  device: new IndependentDevice(),
});

/** The member writes to the account; the first time with keys that the engine has uploaded. */
export function encryptTo({ device }: Member, companion: Companion, padded: Buffer): Encrypted {
  if (!device.hasSession) {
    const { registrationId, identityKey, signedPreKey, preKey } = takeBundle(companion);
    device.startSession({ registrationId, identityKey, signedPreKey, preKey });
  }
  return device.encrypt(padded);
}

/** The bytes of a message that brings a sender key. */
export function paddedSenderKey(chatId: string, distribution: Buffer): Buffer {
  return pad(encodeFields({ 2: encodeFields({ 1: Buffer.from(chatId), 2: distribution }) }));
}

/** Delivers a message of the member. Resolves when the account has acknowledged it. */
export async function deliver(
  companion: Companion,
  { chatId, by, parts, again }: { chatId: string; by: Member; parts: Stanza[]; again?: () => Stanza[] },
): Promise<void> {
  const attributes = {
    id: `3EB0${String(++delivered).padStart(16, '0')}`,
    from: chatId,
    participant: lidOf(by.person),
    participant_pn: numberOf(by.person),
    addressing_mode: 'lid',
    type: 'text',
    t: seconds(),
  };
  const toStanza = (content: Stanza[]) => element('message', attributes, content);
  await companion.outbox.put(
    companion.connection,
    toStanza(parts),
    again && (() => Promise.resolve(toStanza(again()))),
  );
}
let delivered = 0;

export const enc = (type: string, ciphertext: Buffer): Stanza => element('enc', { v: '2', type }, ciphertext);
