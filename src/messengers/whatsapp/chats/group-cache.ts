/** What is known of groups, for all accounts of a process together, and in little room: groups have up to thousands of members. */
import { LRUCache } from 'lru-cache';
import type { Group, GroupMember } from '../client/group.ts';

export interface CachedGroup {
  about: Omit<Group, 'participants'>;
  /** A line for each. One string takes a quarter of what objects would. */
  members: string;
  memberCount: number;
  /** Who its members are has been told. */
  isEmitted: boolean;
}

/** `forceFetch` reads a group that is not in it by the `context` it is given, once for all callers that wait for it. */
export type GroupMemory = LRUCache<string, CachedGroup, () => Promise<CachedGroup>>;

/** Of all groups together, some 60 bytes each. Those that were posted to longest ago are forgotten first, and asked for again. */
const MAX_MEMBERS_CACHED = 1_000_000;
/** What else is known of a group takes as much room as so many members. */
const GROUP_WEIGHT = 30;
/** Changes are told; this is for those that were not heard. */
const GOOD_FOR_MS = 60 * 60_000;

export function createGroupMemory({ most = MAX_MEMBERS_CACHED } = {}): GroupMemory {
  return new LRUCache({
    maxSize: most,
    sizeCalculation: ({ memberCount }) => GROUP_WEIGHT + memberCount,
    ttl: GOOD_FOR_MS,
    fetchMethod: (_key, _stale, { context: read }) => read(),
    ignoreFetchAbort: true,
  });
}

export function packGroup({ participants, ...about }: Group): CachedGroup {
  const members = participants
    .map(({ id, lid = '', phoneNumber = '', admin }) => [id, lid, phoneNumber, admin ?? ''].join(' '))
    .join('\n');
  return { about, members, memberCount: participants.length, isEmitted: false };
}

export function unpackGroup({ about, members, memberCount }: CachedGroup): Group {
  return { ...about, participants: memberCount === 0 ? [] : members.split('\n').map(toParticipant) };
}

function toParticipant(line: string): GroupMember {
  const [id = '', lid, phoneNumber, admin] = line.split(' ');
  return {
    id,
    ...(lid && { lid }),
    ...(phoneNumber && { phoneNumber }),
    admin: admin === 'admin' || admin === 'superadmin' ? admin : null,
  };
}
