import type { Connection } from './connection.ts';
import type { QueryAnswer } from './answer-queries.ts';
import type { PeerState } from './state.ts';
import { bytesOf, child, children, element, elementsOf, textOf, type Stanza } from './stanza.ts';
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
      if (group.participants.get(lidOf(person)) === 'member') return 401;
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
  if (asked.tag === 'create') return create(state, person, asked);
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

function create(state: PeerState, creator: Person, asked: Stanza): QueryAnswer {
  const { world, script } = state;
  const subject = asked.attrs['subject'] ?? '';
  const description = textOf(elementsOf(child(asked, 'description'))[0]);
  if (!isOfToday(asked)) return 400;
  if (child(asked, 'parent')) {
    const community = addCommunity(world, creator, subject, description);
    community.membersMayAddGroups = child(asked, 'allow_non_admin_sub_group_creation') !== undefined;
    if (child(asked, 'create_general_chat')) addGroup(world, creator, { subject: 'General', parent: community.id });
    return [describeGroup(state, community)];
  }
  const wanted = children(asked, 'participant').map((participant) => ({
    participant,
    person: personOf(world, participant.attrs['jid']),
  }));
  const verdicts = wanted.map(({ participant, person }) => ({
    participant,
    person,
    code: person ? script.refuseMember(person, bytesOf(child(participant, 'privacy'))) : 'left out',
  }));
  const members = verdicts.flatMap(({ person, code }) => (person && code === undefined ? [person] : []));
  const group = describeGroup(state, addGroup(world, creator, { subject, description }, members));
  const refused = verdicts.flatMap(({ participant: { attrs }, code }) =>
    typeof code === 'number' ? [element('participant', { ...attrs, error: String(code) })] : [],
  );
  return [{ ...group, content: [...elementsOf(group), ...refused] }];
}

/** Whether the request has the parts that today's clients send, and nothing that they no longer send. */
function isOfToday(asked: Stanza): boolean {
  const isLidAlone = ({ attrs }: Stanza) =>
    (attrs['jid'] ?? '').endsWith('@lid') && attrs['phone_number'] === undefined;
  if (asked.attrs['key'] !== undefined || children(asked, 'participant').some(isLidAlone)) return false;
  if (child(asked, 'parent')) return true;
  const join = child(child(asked, 'membership_approval_mode'), 'group_join');
  const adds = textOf(child(asked, 'member_add_mode'));
  return (
    adds === 'all_member_add' &&
    child(asked, 'ephemeral')?.attrs['expiration'] === '0' &&
    join?.attrs['state'] === 'off'
  );
}

/** With at most this number of participants. */
function describeGroup({ world, script }: PeerState, group: Group, most = Infinity): Stanza {
  const participants = [...group.participants].slice(0, most).map(([jid, rank]) => {
    const person = personOf(world, jid);
    const isHidden = script.hidesCreator && jid === group.creator;
    const number = person && !isHidden ? numberOf(person) : undefined;
    const ids = group.addressing === 'lid' ? { jid, phone_number: number } : { jid: number, lid: jid };
    return element('participant', { ...ids, type: rank === 'member' ? undefined : rank });
  });
  const body = element('body', {}, Buffer.from(group.description));
  const marks = [
    ...(group.description ? [element('description', { id: 'D1', t: group.createdAt }, [body])] : []),
    ...(group.isCommunity ? [element('parent', { default_membership_approval_mode: 'request_required' })] : []),
    ...(group.parent === undefined ? [] : [element('linked_parent', { jid: group.parent })]),
    ...(group.isAnnouncement ? [element('announcement')] : []),
    ...(group.isLocked ? [element('locked')] : []),
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
