/** End-to-end encryption (Signal): sessions with devices, and the account's sender keys in groups. */
import type { Jid } from './jid.ts';
import type { Node } from './node.ts';
import type { PreKeyBundle } from './pre-keys.ts';

export interface Signal {
  /** Stores at once, at its end, what `work` changes in the keys, and reads nothing twice. No two run at a time. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Those of the devices that there is an open session with. */
  findSessions(devices: readonly Jid[]): Promise<Set<Jid>>;
  /** The registration id of a device as its session has it. */
  registrationIdOf(device: Jid): Promise<number | undefined>;
  dropSessions(devices: readonly Jid[]): Promise<void>;
  /** Takes the place of an earlier session. Throws when the signed prekey is not signed with the device's identity key. */
  startSession(device: Jid, keys: PreKeyBundle): Promise<void>;
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
