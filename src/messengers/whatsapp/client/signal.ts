/** End-to-end encryption (Signal): sessions with devices, and the account's sender keys in groups. */
import { encodeSignedDeviceIdentity, extractE2ESessionFromRetryReceipt, parseAndInjectE2ESessions } from 'baileys';
import type { WASocket } from 'baileys';
import type { Jid } from './jid.ts';
import type { Node } from './node.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

export interface Signal {
  /** Stores at once, at its end, what `work` changes in the keys, and reads nothing twice. No two run at a time. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Those of the devices that there is an open session with. */
  findSessions(devices: readonly Jid[]): Promise<Set<Jid>>;
  /** The registration id of a device as its session has it. */
  registrationIdOf(device: Jid): Promise<number | undefined>;
  dropSessions(devices: readonly Jid[]): Promise<void>;
  /** Throws when keys in WhatsApp's answer about a device are missing, or not signed by their owner. */
  startSession(user: Node): Promise<void>;
  /** As `startSession`, with the keys in a retry receipt. */
  restartSession(device: Jid, keys: PreKeyBundle): Promise<void>;
  /** Throws when the session is of no use. */
  encrypt(device: Jid, padded: Uint8Array): Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Uint8Array }>;
  /** Creates the sender key if there is none. A device needs `senderKey` to decrypt the group's next messages. */
  encryptForGroup(sender: GroupSender, padded: Uint8Array): Promise<{ ciphertext: Uint8Array; senderKey: Uint8Array }>;
  /** The present sender key; undefined if there is none. */
  findSenderKey(sender: GroupSender): Promise<Uint8Array | undefined>;
  /** Deletes the sender key: the next message to the group creates another one. */
  dropSenderKey(sender: GroupSender): Promise<void>;
  /** The signed identity that a device needs with a first message; undefined before the account is linked. */
  deviceIdentity(): Node | undefined;
}

/** The account in a group, under the id that the group addresses it by. */
export interface GroupSender {
  group: Jid;
  meId: Jid;
}

/** What a session with a device starts from. */
export interface PreKeyBundle {
  registrationId: number;
  identityKey: Uint8Array;
  signedPreKey: { keyId: number; publicKey: Uint8Array; signature: Uint8Array };
  preKey?: { keyId: number; publicKey: Uint8Array };
}

/** The keys that a retry receipt brings. Undefined if there are none, or not all. */
export function readPreKeys(retryReceipt: Node): PreKeyBundle | undefined {
  // The key for one use may be undefined, which the library's type does not say.
  return (extractE2ESessionFromRetryReceipt(retryReceipt) as PreKeyBundle | null) ?? undefined;
}

export function createSignal({ authState, signalRepository: repository }: WASocket): Signal {
  const { keys, creds } = authState;
  const nameOf = (device: Jid) => repository.jidToSignalProtocolAddress(device);
  return {
    transaction: (work) => keys.transaction(work, creds.me?.id ?? ''),
    async findSessions(devices) {
      const known = await keys.get('session', devices.map(nameOf));
      const open = new Set<Jid>();
      for (const device of devices) {
        await yieldToEventLoop();
        if (known[nameOf(device)] && (await repository.validateSession(device)).exists) open.add(device);
      }
      return open;
    },
    registrationIdOf: async (device) => (await repository.getSessionInfo(device))?.registrationId,
    async dropSessions(devices) {
      await keys.set({ session: Object.fromEntries(devices.map((device) => [nameOf(device), null])) });
    },
    startSession: (user) =>
      parseAndInjectE2ESessions(
        { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: [user] }] },
        repository,
      ),
    restartSession: (jid, session) => repository.injectE2ESession({ jid, session }),
    encrypt: (jid, data) => repository.encryptMessage({ jid, data }),
    async encryptForGroup(sender, data) {
      const encrypted = await repository.encryptGroupMessage({ ...sender, data });
      return { ciphertext: encrypted.ciphertext, senderKey: encrypted.senderKeyDistributionMessage };
    },
    findSenderKey: async (sender) =>
      (await repository.hasSenderKey(sender)) ? repository.getSenderKeyDistributionMessage(sender) : undefined,
    async dropSenderKey({ group, meId }) {
      // The library names it by group, user and device.
      const name = `${group}::${nameOf(meId).replace(/\.(\d+)$/, '::$1')}`;
      await keys.set({ 'sender-key': { [name]: null } });
    },
    deviceIdentity: () =>
      creds.account && {
        tag: 'device-identity',
        attrs: {},
        content: encodeSignedDeviceIdentity(creds.account, true),
      },
  };
}
