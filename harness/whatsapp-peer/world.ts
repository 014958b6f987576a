/** The world of the peer: people with phones, groups, communities, channels. */
import { randomBytes } from 'node:crypto';
import { jidDecode, type proto } from 'baileys';
import type { Connection } from './connection.ts';
import type { Outbox } from './outbox.ts';
import { SignalDevice, type KeyBundle } from './signal-device.ts';
import { SERVER } from './stanza.ts';

/** A person with a phone. A service linked to it is a companion device. */
export interface Person {
  /** Digits only. */
  number: string;
  /** The LID, which groups show instead. */
  lid: string;
  /** The phone, and other devices whose keys the peer holds. */
  devices: SignalDevice[];
  /** Linked devices that are clients of the peer, by their device number. */
  companions: Map<number, Companion>;
  /** The highest number that a device of theirs has had: none is given twice. */
  lastDevice: number;
  /** Banned by WhatsApp: logins are rejected. */
  isBanned: boolean;
  /** Their devices are off: messages wait at the server and are not decrypted. */
  isAway: boolean;
  /** Ids of the terms for channels that they have accepted. */
  acceptedTerms: Set<string>;
}

export interface Companion {
  person: Person;
  device: number;
  /** The keys it has uploaded. */
  bundle: (Omit<KeyBundle, 'preKey'> & { preKeys: Array<KeyBundle['preKey']> }) | undefined;
  connection: Connection | undefined;
  outbox: Outbox;
}

export type Rank = 'superadmin' | 'admin' | 'member';

export interface Group {
  id: string;
  subject: string;
  description: string;
  creator: string;
  createdAt: string;
  invite: string;
  /** How members are identified: by LID, or by number as in old groups. */
  addressing: 'lid' | 'pn';
  /** By LID with its server. */
  participants: Map<string, Rank>;
  /** Only admins may post. */
  isAnnouncement: boolean;
  /** Only admins may change its settings, and pin. */
  isLocked: boolean;
  /** A community is the parent of groups and takes no posts itself. */
  isCommunity: boolean;
  parent: string | undefined;
  /** The announcement group of a community. */
  isDefault: boolean;
  /** Members of the community who are no admins can add groups to it. */
  membersMayAddGroups: boolean;
  /** Seconds until its messages disappear; undefined: they stay. */
  expiration: number | undefined;
}

export interface Channel {
  id: string;
  name: string;
  description: string;
  invite: string;
  createdAt: string;
  owner: Person;
  followers: number;
  picture: Buffer | undefined;
  posts: ChannelPost[];
}

export interface ChannelPost {
  serverId: number;
  messageId: string;
  at: string;
  message: proto.Message;
  /** Of a file. */
  mediaType: string | undefined;
  views: number;
  /** Count of each reaction. */
  reactions: Record<string, number>;
}

export const lidOf = (person: Person): string => `${person.lid}@lid`;
export const numberOf = (person: Person): string => `${person.number}@${SERVER}`;
export const companionLid = ({ person, device }: Companion): string => `${person.lid}:${device}@lid`;
export const companionNumber = ({ person, device }: Companion): string => `${person.number}:${device}@${SERVER}`;

export interface World {
  people: Person[];
  groups: Map<string, Group>;
  channels: Map<string, Channel>;
}

export function createWorld(): World {
  return { people: [], groups: new Map(), channels: new Map() };
}

let made = 0;

/** Adds a person; `devices` are the device numbers besides the phone, which is 0. */
export function addPerson(world: World, number: string, devices: readonly number[] = []): Person {
  const lid = `77${String(++made).padStart(9, '0')}`;
  const jids = [`${lid}@lid`, ...devices.map((device) => `${lid}:${device}@lid`)];
  const person: Person = {
    number,
    lid,
    devices: jids.map((jid) => new SignalDevice(jid)),
    companions: new Map(),
    lastDevice: Math.max(0, ...devices),
    isBanned: false,
    isAway: false,
    acceptedTerms: new Set(),
  };
  world.people.push(person);
  return person;
}

export function addGroup(
  world: World,
  creator: Person,
  group: Partial<Group> & { subject: string },
  members: readonly Person[] = [],
): Group {
  const participants = new Map<string, Rank>([[lidOf(creator), 'superadmin']]);
  for (const member of members) if (member !== creator) participants.set(lidOf(member), 'member');
  const whole: Group = {
    id: `${newChatNumber()}@g.us`,
    description: '',
    creator: lidOf(creator),
    createdAt: String(Math.floor(Date.now() / 1_000)),
    invite: randomBytes(11).toString('base64url'),
    addressing: 'lid',
    participants,
    isAnnouncement: false,
    isLocked: false,
    isCommunity: false,
    parent: undefined,
    isDefault: false,
    membersMayAddGroups: false,
    expiration: undefined,
    ...group,
  };
  world.groups.set(whole.id, whole);
  return whole;
}

/** A community and the announcement group that comes with it. */
export function addCommunity(world: World, creator: Person, subject: string, description = ''): Group {
  const community = addGroup(world, creator, { subject, description, isCommunity: true });
  addGroup(world, creator, { subject, description, parent: community.id, isAnnouncement: true, isDefault: true });
  return community;
}

export function addChannel(world: World, owner: Person, channel: Pick<Channel, 'name'> & Partial<Channel>): Channel {
  const whole: Channel = {
    id: `${newChatNumber()}@newsletter`,
    description: '',
    invite: `0029Va${randomBytes(12).toString('base64url')}`,
    createdAt: String(Math.floor(Date.now() / 1_000)),
    owner,
    followers: 0,
    picture: undefined,
    posts: [],
    ...channel,
  };
  world.channels.set(whole.id, whole);
  return whole;
}

function newChatNumber(): string {
  return `120363${String(++made).padStart(12, '0')}`;
}

/** Returns the person of a number or LID, or of one of their devices. A mobile number of Brazil may have a 9 that WhatsApp has not. */
export function personOf(world: World, jid: string | undefined): Person | undefined {
  const decoded = jidDecode(jid);
  if (!decoded) return undefined;
  if (decoded.server === 'lid') return world.people.find(({ lid }) => lid === decoded.user);
  const known = decoded.user.replace(/^(55\d\d)9(\d{8})$/, '$1$2');
  return world.people.find(({ number }) => number === decoded.user || number === known);
}

/** Returns the linked devices of all who share a group with a person. */
export function companionsNear({ people, groups }: World, person: Person): Companion[] {
  const shared = [...groups.values()].filter(({ participants }) => participants.has(lidOf(person)));
  const isNear = (other: Person) => shared.some(({ participants }) => participants.has(lidOf(other)));
  return people.filter(isNear).flatMap(({ companions }) => [...companions.values()]);
}

/** The device whose keys the peer holds. */
export function deviceOf(world: World, jid: string | undefined): SignalDevice | undefined {
  const number = jidDecode(jid)?.device ?? 0;
  return personOf(world, jid)?.devices.find((device) => (jidDecode(device.jid)?.device ?? 0) === number);
}

export function companionOf(world: World, jid: string | undefined): Companion | undefined {
  return personOf(world, jid)?.companions.get(jidDecode(jid)?.device ?? 0);
}
