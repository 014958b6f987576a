/**
 * The members of groups: their device lists, devices without keys, and which devices hold the sender key of a group. Stored with the
 * credentials, so that it survives a restart, and queried again only when it may have changed.
 */
import { LRUCache } from 'lru-cache';
import { createMutex } from '../../../platform/concurrency/mutex.ts';
import type { KeyValueStore } from '../client/key-storage.ts';

/** Stored as JSON under the JID by which a group addresses the member. */
export interface KnownMember {
  /** The numbers of their devices; the phone's is 0. */
  devices: readonly number[];
  /** When the device list expires, in milliseconds since 1970. */
  askAgainAtMs: number;
  /** Counts their phones: a new phone lacks the sender keys of the one before. */
  phone: number;
  /** The sessions with their devices are of an earlier phone, or doubtful. */
  isStale: boolean;
  /** Devices without keys, and until when each is left out, in milliseconds since 1970. */
  leftOut: Readonly<Record<number, number>>;
}

/** In milliseconds. */
export interface MemberTiming {
  /** A sender key that a departed member holds is renewed when it is older. */
  keyMinAgeMs: number;
  /** Any sender key is renewed when it is older. */
  keyMaxAgeMs: number;
  /** How long members that WhatsApp rejects queries about, and devices without keys are left out. */
  leaveOutMs: number;
}

export type MemberCache = ReturnType<typeof createMemberCache>;

/** Returns the changed member; undefined leaves it as it is. */
export type ChangeMember = (member: KnownMember | undefined, jid: string) => KnownMember | undefined;

export type KeyHolders = Readonly<Record<string, number>>;

const MEMBER = 'member';
const KEY_HOLDERS = 'group-key-holders';
const KEY_CREATED = 'group-key-created';
/** Some of the largest groups; the members of others are read from the database. */
const MEMBERS_IN_MEMORY = 5_000;

export function createMemberCache(store: KeyValueStore, { leaveOutMs, keyMinAgeMs, keyMaxAgeMs }: MemberTiming) {
  // Each account has one of these. `max` would allocate all of it at once; `maxSize` grows with use.
  const recent = new LRUCache<string, KnownMember>({ maxSize: MEMBERS_IN_MEMORY, sizeCalculation: () => 1 });
  const oneAtATime = createMutex();

  /** The known ones, by JID. */
  async function read(jids: readonly string[]): Promise<Map<string, KnownMember>> {
    const known = new Map(jids.flatMap((jid) => toEntry(jid, recent.get(jid))));
    const missing = jids.filter((jid) => !known.has(jid));
    const stored = missing.length > 0 ? await store.read(MEMBER, missing) : new Map<string, unknown>();
    for (const [jid, value] of stored) {
      // A change meanwhile is newer.
      const member = recent.get(jid) ?? (value as KnownMember);
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
    keyMinAgeMs,
    keyMaxAgeMs,
    read,
    /** Changes are made one after the other. Resolves when stored. `change` gets undefined for an unknown member. */
    change: (jids: readonly string[], change: ChangeMember) => oneAtATime(() => changeNow(jids, change)),
    /** The devices that hold the sender key of a group, and the owner's `phone` at the time they got it. */
    async keyHolders(chatId: string) {
      return ((await store.read(KEY_HOLDERS, [chatId])).get(chatId) ?? {}) as KeyHolders;
    },
    async recordKeyHolders(chatId: string, holders: KeyHolders) {
      await store.write(KEY_HOLDERS, new Map([[chatId, holders]]));
    },
    /** When the present sender key of a group was created, in milliseconds since 1970. Undefined if that was never recorded. */
    async keyCreatedAtMs(chatId: string) {
      const stored = (await store.read(KEY_CREATED, [chatId])).get(chatId);
      return typeof stored === 'number' ? stored : undefined;
    },
    /** The next message to the group creates a sender key. */
    recordKeyCreated: (chatId: string) => store.write(KEY_CREATED, new Map([[chatId, Date.now()]])),
  };
}

/** Groups whose devices differ from WhatsApp's although they were queried again; forgotten after an hour. */
export const createUnresolvedHashes = () =>
  new LRUCache<string, true>({ maxSize: 10_000, sizeCalculation: () => 1, ttl: 60 * 60_000 });

const toEntry = (jid: string, member: KnownMember | undefined): Array<[string, KnownMember]> =>
  member ? [[jid, member]] : [];
