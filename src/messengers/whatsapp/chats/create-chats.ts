/** Creates groups and communities as WhatsApp Web does today; the library's own requests are older. */
import { randomBytes } from 'node:crypto';
import { canonicalDigits } from '../../../platform/phone/phone-number.ts';
import type { CreatedGroup, MessengerGroup, NewCommunity, NotAdded, NotAddedReason } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { UnreadableAnswerError } from '../client/errors.ts';
import type { Group } from '../client/group.ts';
import { parseJid, toJid, userOn } from '../client/jid.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';
import { fetchGroup, fetchLinkedGroups } from './fetch-groups.ts';
import { fetchInviteLink, toCommunity, toGroup } from './groups.ts';
import { parseGroup } from './parse-group.ts';

const GROUPS = '@g.us';
const NUMBERS = 's.whatsapp.net';

/** `participants` are digits. Says who could not be added. */
export async function createGroupChat(
  client: Client,
  { name, participants }: { name: string; participants: readonly string[] },
): Promise<CreatedGroup> {
  const lids = await client.lids.findLids(participants);
  const content = [
    ...(await Promise.all(participants.map((number) => toParticipant(client, number, lids.get(number))))),
    { tag: 'member_add_mode', attrs: {}, content: Buffer.from('all_member_add') },
    { tag: 'ephemeral', attrs: { expiration: '0' } },
    {
      tag: 'membership_approval_mode',
      attrs: {},
      content: [{ tag: 'group_join', attrs: { state: 'off' } }],
    },
  ];
  const answer = await create(client, name, content);
  const group = parseGroup(answer);
  if (!group) throw new UnreadableAnswerError('the answer does not describe the new group');
  const notAdded = findNotAdded(client, answer, { participants, lids });
  const inviteLink = await fetchInviteLink(client, group.id).catch(() => null);
  return { ...toGroup(client, group, inviteLink), notAdded };
}

/** Undefined: the community was created, and WhatsApp did not say which it is. */
export async function createCommunityChats(
  client: Client,
  { name, description, hasGeneralChat, membersMayAddGroups }: NewCommunity,
): Promise<MessengerGroup | undefined> {
  const id = randomBytes(6).toString('hex').toUpperCase();
  const body = { tag: 'body', attrs: {}, content: Buffer.from(description) };
  const answer = await create(client, name, [
    ...(description === '' ? [] : [{ tag: 'description', attrs: { id }, content: [body] }]),
    { tag: 'parent', attrs: { default_membership_approval_mode: 'request_required' } },
    ...(membersMayAddGroups ? [{ tag: 'allow_non_admin_sub_group_creation', attrs: {} }] : []),
    ...(hasGeneralChat ? [{ tag: 'create_general_chat', attrs: {} }] : []),
  ]);
  const community = parseGroup(answer);
  if (!community) return undefined;
  // The community exists even if this fails: the next list has its announcement group.
  return toCommunity(client, community, await findAnnouncements(client, community.id).catch(() => undefined));
}

async function create(client: Client, subject: string, content: Node[]): Promise<Node> {
  const answer = await client.query({
    type: 'set',
    xmlns: 'w:g2',
    to: GROUPS,
    content: [{ tag: 'create', attrs: { subject }, content }],
  });
  return childOf(answer, 'group') ?? answer;
}

async function toParticipant(client: Client, number: string, lid: string | undefined): Promise<Node> {
  const byNumber = toJid(number, NUMBERS);
  const byLid = lid === undefined ? undefined : toJid(lid, 'lid');
  const token = await client.findPrivacyToken(byLid === undefined ? [byNumber] : [byLid, byNumber]);
  return {
    tag: 'participant',
    attrs: byLid === undefined ? { jid: byNumber } : { jid: byLid, phone_number: byNumber },
    ...(token && { content: [{ tag: 'privacy', attrs: {}, content: token }] }),
  };
}

async function findAnnouncements(client: Client, communityId: string): Promise<Group | undefined> {
  const linked = await fetchLinkedGroups(client, communityId);
  const marked = linked.filter((group) => group.isCommunityAnnounce);
  for (const { id } of marked.length > 0 ? marked : linked) {
    const group = await fetchGroup(client, id);
    if (group.isCommunityAnnounce) return group;
  }
  return undefined;
}

/** By the error code of a participant. */
const REASONS: Readonly<Record<string, NotAddedReason>> = {
  401: 'privacy',
  403: 'privacy',
  404: 'not_on_whatsapp',
  406: 'not_on_whatsapp',
  408: 'left_recently',
};

interface Requested {
  participants: readonly string[];
  /** By number. */
  lids: ReadonlyMap<string, string>;
}

/** WhatsApp marks people who were not added with an error, or leaves them out of its answer. */
function findNotAdded(client: Client, answer: Node, { participants, lids }: Requested): NotAdded[] {
  const numbers = new Map([...lids].map(([number, lid]) => [lid, number]));
  const listed = childrenOf(answer, 'participant')
    .filter(({ attrs }) => !isOwn(client, attrs))
    .map(({ attrs }) => ({ number: numberOf(attrs, numbers), error: attrs['error'] }));
  const rejected = listed.flatMap(({ number, error }) =>
    error === undefined || number === undefined ? [] : [{ number, reason: REASONS[error] ?? ('other' as const) }],
  );
  // A member without a known number may be one of the people who seem to be missing.
  if (listed.some(({ number }) => number === undefined)) return rejected;
  const own = userOn(NUMBERS, client.me?.id);
  const found = new Set([own, ...listed.map(({ number }) => number)].map((number = '') => canonicalDigits(number)));
  const missing = participants.filter((number) => !found.has(canonicalDigits(number)));
  return [...rejected, ...missing.map((number) => ({ number, reason: 'other' as const }))];
}

function isOwn({ me }: Client, { jid, phone_number: phoneNumber }: Node['attrs']): boolean {
  const own = new Set([me?.id, me?.lid].map((id) => parseJid(id)?.user));
  return [jid, phoneNumber].some((id) => id !== undefined && own.has(parseJid(id)?.user));
}

function numberOf(attrs: Node['attrs'], numbers: ReadonlyMap<string, string>): string | undefined {
  const { jid, phone_number: phoneNumber } = attrs;
  return userOn(NUMBERS, phoneNumber) ?? userOn(NUMBERS, jid) ?? numbers.get(userOn('lid', jid) ?? '');
}
