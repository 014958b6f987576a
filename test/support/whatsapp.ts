import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Config } from '../../src/platform/config/config.ts';
import { sleep } from '../../src/platform/time/time.ts';
import type { PasskeyOptions } from '../../harness/whatsapp-peer/authenticator.ts';
import type { WhatsAppPeer } from '../../harness/whatsapp-peer/peer.ts';
import {
  addChannel,
  type Channel,
  type Companion,
  type Person as PeerPerson,
} from '../../harness/whatsapp-peer/world.ts';
import type { Person, TestApp } from './app.ts';
import type { TestDatabase } from './database.ts';
import { until } from './ledger.ts';
import { skipWaiting } from './skip-waiting.ts';
import { workspaceOf } from './workspaces.ts';

/** The digits of the default number of `signUp` in `support/app.ts`. */
export const OWN_NUMBER = '491511234567';

export interface Status {
  messenger: string;
  status: string;
  qr?: string;
  pairing_code?: string;
  passkey?: { request_options: PasskeyOptions | null; verification_code: string | null };
  expires_at?: string;
  paused_until?: string;
  reason?: string;
}

/** The configuration of a service that uses this peer, without gaps and without a rest after a link. */
export function towards(peer: WhatsAppPeer): Partial<Config> {
  return {
    messenger: 'whatsapp',
    whatsappUrl: peer.url,
    whatsappRootKey: Buffer.from(peer.rootKey, 'hex'),
    whatsappCa: peer.certificate,
    whatsappGap: { minMs: 0, maxMs: 0 },
    whatsappWarmUpGap: { minMs: 0, maxMs: 0 },
    whatsappRestAfterLinkMs: 0,
    encryptionKey: Buffer.alloc(32, 7),
    jwtSecret: 'the secret of the tests, long enough',
  };
}

/** `about` names an account; the default one unless given. */
export const statusOf = async (person: Person, about: AboutAccount = {}): Promise<Status> =>
  (await person.call<Status>('venom/account-status', about)).body.data;

export const statusWhen = (person: Person, status: string, about?: AboutAccount): Promise<Status> =>
  until(
    () => statusOf(person, about),
    (found) => found.status === status,
  );

interface AboutAccount {
  account_id?: number;
}

/** Waits until the person's account has, or had, this status, so that a transient status is not missed. */
export async function stoodAs(person: Person, status: string): Promise<Pick<Status, 'status' | 'reason'>> {
  interface WithHistory {
    history: Array<Pick<Status, 'status' | 'reason'>>;
  }
  const seen = await until(async () => {
    const { body } = await person.call<WithHistory>('venom/account-status', { with_history: true });
    return body.data.history.find((state) => state.status === status);
  }, Boolean);
  return seen ?? { status };
}

/** Links the person's account by a QR code that their phone scans, and waits until it is connected. `about`: as of `statusOf`. */
export async function linkByQr(
  peer: WhatsAppPeer,
  person: Person,
  phone: PeerPerson,
  about: AboutAccount = {},
): Promise<Companion> {
  // A new link may have no code yet.
  const { body } = await until(
    () => person.call<Status>('venom/connect-account', about),
    (answer) => typeof answer.body.data.qr === 'string',
  );
  expect(body.data).toMatchObject({ status: 'linking', qr: expect.any(String) });
  const companion = await peer.scan(phone, body.data.qr ?? '');
  await statusWhen(person, 'connected', about);
  return companion;
}

/** Adds an account to the person's workspace, links it to a phone, and reads its groups. */
export async function linkFurther(
  peer: WhatsAppPeer,
  person: Person,
  phone: PeerPerson,
): Promise<{ accountId: number; companion: Companion }> {
  const added = { name: `of ${phone.number}`, messenger: 'whatsapp', whatsapp_number: `+${phone.number}` };
  const { body } = await person.call<{ account_id: number }>('venom/add-account', added);
  const { account_id } = body.data;
  const companion = await linkByQr(peer, person, phone, { account_id });
  await person.call('venom/sync-groups', { account_id });
  return { accountId: account_id, companion };
}

/** A user with a linked number, the phone and groups of their own. */
export interface Linked {
  person: Person;
  phone: PeerPerson;
  companion: Companion;
  groups: number[];
}

let people = 0;

/** Signs a user up with a new number, links it, and creates groups of these people. */
export async function linkSomebody(
  { peer, app, members }: { peer: WhatsAppPeer; app: TestApp; members: readonly PeerPerson[] },
  groups: number,
): Promise<Linked> {
  const number = `44770090${String(++people).padStart(4, '0')}`;
  const phone = peer.addPerson(number);
  const person = await app.signUp(`person${people}`, `+${number}`);
  const companion = await linkByQr(peer, person, phone);
  return { person, phone, companion, groups: await createGroups(person, groups, members) };
}

/** Two members with three devices in total: together with the account's own phone, four devices show a post. */
export const addMembers = (peer: WhatsAppPeer): PeerPerson[] => [
  peer.addPerson('4915100000002', [5]),
  peer.addPerson('4915100000003'),
];
const DEVICES = 4;

/** Returns how often each device shows a post to that many groups of these members without faults. */
export const allOnce = (groups: number): number[] => Array.from({ length: groups * DEVICES }, () => 1);

/** Creates groups of these people as the person. Resolves to their ids, in order. */
export async function createGroups(person: Person, count: number, members: readonly PeerPerson[]): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 1; index <= count; index++) {
    const group = { group_name: `Group ${index}`, participants: members.map(({ number }) => number) };
    const { body } = await person.call<{ group_metadata_id: number }>('venom/create-group', group);
    ids.push(body.data.group_metadata_id);
  }
  return ids;
}

/** The names of the credentials of one kind that are stored for the person's account, in order. */
export async function namesOfKeys({ db }: TestDatabase, person: Person, kind: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select k.name from account_keys k join accounts a using (account_id)
    where a.workspace_id = ${workspaceOf(person)} and k.kind = ${kind} order by k.name`.execute(db);
  return rows.map(({ name }) => name);
}

/** A channel created on the phone of a linked person, and its id in the service. */
export async function addOwnChannel(
  { world }: WhatsAppPeer,
  { person, phone }: Pick<Linked, 'person' | 'phone'>,
  followers = 40,
): Promise<{ channel: Channel; groupId: number }> {
  const channel = addChannel(world, phone, { name: 'Made on the phone', followers });
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number; nid: { _serialized: string } }> }>(
    'venom/list-groups',
    { limit: 500 },
  );
  const listed = body.data.groups.find(({ nid }) => nid._serialized === channel.id);
  if (!listed) throw new Error('the channel is not listed');
  return { channel, groupId: listed.group_metadata_id };
}

/** Sends a campaign now, with a file if there is one. Resolves to its id. */
export async function sendCampaign(
  person: Person,
  groupIds: readonly number[],
  html = 'Hello',
  file?: Buffer,
): Promise<string> {
  const campaign = { name: 'Test', html, group_metadata_ids: groupIds, image: file?.toString('base64') ?? null };
  // Overload: keys for hundreds of stand-ins are made in the same process. Nothing was accepted then.
  const { body } = await until(
    () => person.call<{ campaign_id: string }>('venom/add-campaign', campaign),
    ({ status }) => status !== 503,
  );
  return body.data.campaign_id;
}

export interface Totals {
  sent: number;
  failed: number;
  queued: number;
  recipients: number;
  delivered: number | null;
  read: number | null;
  reactions: number | null;
  replies: number | null;
  views: number | null;
}

export interface Progress {
  totals: Totals;
  groups: Array<{
    kind: string;
    last_error: string | null;
    views: number | null;
    reactions: number;
    recipients: number;
    members_without_devices?: number;
  }>;
}

export async function progressOf(person: Person, campaignId: string): Promise<Progress> {
  const path = 'analytics/get-campaign-group-analytics-master';
  // A service on an overloaded machine answers 503.
  const { body } = await until(
    () => person.call<Progress>(path, { campaign_id: campaignId }),
    ({ status }) => status !== 503,
  );
  return body.data;
}

/** Waits until a campaign has no queued deliveries. Retries do not wait: the clock advances to them. */
export function finished(app: TestApp, person: Person, campaignId: string): Promise<Progress> {
  return until(
    async () => {
      await sleep(POLL_MS);
      await skipWaiting(app.database, person);
      return progressOf(person, campaignId);
    },
    ({ totals }) => totals.queued === 0,
  );
}

/** Each poll is a request to the service in this process: polling without a pause would delay it. */
const POLL_MS = 30;

/** Returns how often each device has shown each post: all 1 if nothing was lost or duplicated. */
export function timesShown(peer: WhatsAppPeer, text: string): number[] {
  const shown = peer.arrivals.filter((arrival) => arrival.text === text);
  return [...Map.groupBy(shown, ({ chatId, device }) => `${chatId} ${device}`).values()].map(({ length }) => length);
}
