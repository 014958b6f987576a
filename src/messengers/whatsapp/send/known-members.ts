/**
 * What is known of the members of groups: their devices, those that cannot be written to, and who can read which group. It is kept
 * with the credentials, outlives a restart, and is asked for again only when it may have changed.
 */
import { LRUCache } from 'lru-cache';
import type { KeyValueStore } from '../client/credentials.ts';

/** A member under the jid that a group names them by. */
export interface KnownMember {
  /** Their numbers; the phone's is 0. */
  devices: readonly number[];
  /** When their devices are to be asked for again, in milliseconds since 1970. */
  askAgainAtMs: number;
  /** Counts the phones they have had: what was given to an earlier one, this one does not have. */
  phone: number;
  /** What is kept to write to their devices with was made with an earlier phone, or is doubted. */
  isStale: boolean;
  /** Devices without keys to write to them with, and until when each is left out, in milliseconds since 1970. */
  leftOut: Readonly<Record<number, number>>;
}

export interface KnownMembers {
  /** How long who cannot be asked about, or written to, is left out, in milliseconds. */
  leaveOutMs: number;
  /** Those that are known, by jid. */
  read(jids: readonly string[]): Promise<Map<string, KnownMember>>;
  /** Changes one after the other, and resolves when it is stored. `change` gets undefined for who is not known. */
  change(jids: readonly string[], change: ChangeMember): Promise<void>;
  /** The devices that have the key of a group, and the phone that their owner had when they got it. */
  keyHolders(chatId: string): Promise<KeyHolders>;
  /** Null: nobody has it. */
  recordKeyHolders(chatId: string, holders: KeyHolders | null): Promise<void>;
}

/** Resolves to the member as they are to be known from now on; undefined: as before. */
export type ChangeMember = (member: KnownMember | undefined, jid: string) => KnownMember | undefined;

export type KeyHolders = Readonly<Record<string, number>>;

const MEMBER = 'member';
const KEY_HOLDERS = 'group-key-holders';
/** Some of the largest groups; the others are read when they are posted to. */
const MEMBERS_IN_MEMORY = 5_000;

export function createMemberCache(store: KeyValueStore, leaveOutMs: number): KnownMembers {
  // Each account has one of these. `max` would allocate all of it at once; `maxSize` grows with use.
  const recent = new LRUCache<string, KnownMember>({ maxSize: MEMBERS_IN_MEMORY, sizeCalculation: () => 1 });
  let last: Promise<unknown> = Promise.resolve();

  async function read(jids: readonly string[]): Promise<Map<string, KnownMember>> {
    const known = new Map(jids.flatMap((jid) => toEntry(jid, recent.get(jid))));
    const missing = jids.filter((jid) => !known.has(jid));
    const stored = missing.length > 0 ? await store.read(MEMBER, missing) : new Map<string, unknown>();
    for (const [jid, note] of stored) {
      // What was changed meanwhile is newer.
      const member = recent.get(jid) ?? (note as KnownMember);
      recent.set(jid, member);
      known.set(jid, member);
    }
    return known;
  }

  async function changeNow(jids: readonly string[], change: ChangeMember): Promise<void> {
    const known = await read(jids);
    const changed = new Map(jids.flatMap((jid) => toEntry(jid, change(known.get(jid), jid))));
    if (changed.size === 0) return;
    await store.write(MEMBER, changed);
    for (const [jid, member] of changed) recent.set(jid, member);
  }

  return {
    leaveOutMs,
    read,
    change(jids, change) {
      const changed = last.then(() => changeNow(jids, change));
      last = changed.catch(() => undefined);
      return changed;
    },
    async keyHolders(chatId) {
      return ((await store.read(KEY_HOLDERS, [chatId])).get(chatId) ?? {}) as KeyHolders;
    },
    recordKeyHolders: (chatId, holders) => store.write(KEY_HOLDERS, new Map([[chatId, holders]])),
  };
}

const toEntry = (jid: string, member: KnownMember | undefined): Array<[string, KnownMember]> =>
  member ? [[jid, member]] : [];
