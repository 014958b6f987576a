/** The metadata of groups for all accounts of a process, packed: groups have up to thousands of members. */
import { LRUCache } from 'lru-cache';
import type { Group, GroupMember } from '../client/group.ts';

export interface CachedGroup {
  about: Omit<Group, 'participants'>;
  /** A line for each. One string takes a quarter of the memory of objects. */
  members: string;
  memberCount: number;
  /** The ids of its members have been emitted. */
  isEmitted: boolean;
}

/** Single flight: `forceFetch` reads a missing group by its `context`, once for all callers that wait. */
export type GroupCache = LRUCache<string, CachedGroup, () => Promise<CachedGroup>>;

/** Of all groups together, some 60 bytes each. The least recently used groups are evicted first. */
const MAX_MEMBERS_CACHED = 1_000_000;
/** The rest of a group's metadata takes the memory of so many members. */
const GROUP_WEIGHT = 30;
/** WhatsApp reports changes; this limit is for missed reports. */
const TTL_MS = 60 * 60_000;

export function createGroupCache({ most = MAX_MEMBERS_CACHED } = {}): GroupCache {
  return new LRUCache({
    maxSize: most,
    sizeCalculation: ({ memberCount }) => GROUP_WEIGHT + memberCount,
    ttl: TTL_MS,
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
