import type { Connection } from './connection.ts';
import type { QueryAnswer } from './answer-queries.ts';
import type { PeerState } from './state.ts';
import { child, children, element, elementsOf, textOf, type Stanza } from './stanza.ts';
import { addCommunity, addGroup, lidOf, numberOf, personOf, type Group, type Person } from './world.ts';

export function answerGroupQuery(
  state: PeerState,
  { companion }: Connection,
  query: Stanza,
  asked: Stanza,
): QueryAnswer {
  if (!companion) return undefined;
  const { person } = companion;
  if (query.attrs['to'] === '@g.us') return answerAboutAll(state, person, asked);
  const group = state.world.groups.get(query.attrs['to'] ?? '');
  if (!group) return 404;
  if (!group.participants.has(lidOf(person))) return 403;
  switch (asked.tag) {
    case 'query':
      return [describeGroup(state, group)];
    case 'invite':
      return [element('invite', { code: group.invite })];
    case 'sub_groups': {
      const linked = [...state.world.groups.values()].filter(({ parent }) => parent === group.id);
      return [
        element(
          'sub_groups',
          {},
          linked.map((one) => describeGroup(state, one)),
        ),
      ];
    }
    default:
      return undefined;
  }
}

function answerAboutAll(state: PeerState, person: Person, asked: Stanza): QueryAnswer {
  if (asked.tag === 'create') return [describeGroup(state, create(state, person, asked))];
  if (asked.tag !== 'participating') return undefined;
  const own = [...state.world.groups.values()].filter(({ participants }) => participants.has(lidOf(person)));
  return [
    element(
      'groups',
      {},
      own.map((group) => describeGroup(state, group, state.script.listsMembersUpTo)),
    ),
  ];
}

function create({ world }: PeerState, creator: Person, asked: Stanza): Group {
  const subject = asked.attrs['subject'] ?? '';
  const description = textOf(elementsOf(child(asked, 'description'))[0]);
  if (child(asked, 'parent')) return addCommunity(world, creator, subject, description);
  const members = children(asked, 'participant').flatMap(({ attrs }) => personOf(world, attrs['jid']) ?? []);
  return addGroup(world, creator, { subject, description }, members);
}

/** With at most this number of participants. */
function describeGroup({ world }: PeerState, group: Group, most = Infinity): Stanza {
  const participants = [...group.participants].slice(0, most).map(([jid, rank]) => {
    const person = personOf(world, jid);
    const number = person && numberOf(person);
    const ids = group.addressing === 'lid' ? { jid, phone_number: number } : { jid: number, lid: jid };
    return element('participant', { ...ids, type: rank === 'member' ? undefined : rank });
  });
  const body = element('body', {}, Buffer.from(group.description));
  const marks = [
    ...(group.description ? [element('description', { id: 'D1', t: group.createdAt }, [body])] : []),
    ...(group.isCommunity ? [element('parent', { default_membership_approval_mode: 'request_required' })] : []),
    ...(group.parent === undefined ? [] : [element('linked_parent', { jid: group.parent })]),
    ...(group.isAnnouncement ? [element('announcement')] : []),
    ...(group.expiration === undefined ? [] : [element('ephemeral', { expiration: String(group.expiration) })]),
    ...(group.isDefault ? [element('default_sub_group')] : []),
  ];
  const attributes = {
    id: group.id.split('@')[0],
    subject: group.subject,
    s_o: group.creator,
    s_t: group.createdAt,
    creation: group.createdAt,
    creator: group.creator,
    addressing_mode: group.addressing,
    size: String(group.participants.size),
  };
  return element('group', attributes, [...participants, ...marks]);
}
