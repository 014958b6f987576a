/**
 * Queries about groups. The library's own functions return no groups, or no link, when WhatsApp does not answer. Each function throws as
 * `Client.query` does, and UnreadableAnswerError when the answer does not contain what was asked for.
 */
import type { Client } from '../client/client.ts';
import { UnreadableAnswerError } from '../client/errors.ts';
import type { Group } from '../client/group.ts';
import type { Jid } from '../client/jid.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';
import { parseGroup } from './parse-group.ts';

const ALL_GROUPS = '@g.us';

/** All groups and communities that the account is a member of. Large groups do not list all of their members. */
export async function fetchGroups(client: Client): Promise<Group[]> {
  const content = ['participants', 'description'].map((tag) => ({ tag, attrs: {} }));
  return readGroups(await ask(client, ALL_GROUPS, { tag: 'participating', attrs: {}, content }, 'groups'));
}

export async function fetchGroup(client: Client, chatId: Jid): Promise<Group> {
  const answer = await ask(client, chatId, { tag: 'query', attrs: { request: 'interactive' } }, 'group');
  const group = parseGroup(answer);
  if (!group) throw new UnreadableAnswerError('the answer does not describe the group');
  return group;
}

/** The groups of a community. */
export async function fetchLinkedGroups(client: Client, communityId: Jid): Promise<Group[]> {
  return readGroups(await ask(client, communityId, { tag: 'sub_groups', attrs: {} }, 'sub_groups'));
}

/** Undefined if WhatsApp gives none. */
export async function fetchInviteCode(client: Client, chatId: Jid): Promise<string | undefined> {
  const { attrs } = await ask(client, chatId, { tag: 'invite', attrs: {} }, 'invite');
  return attrs['code'];
}

/** A list without one of its groups would have that group removed. */
function readGroups(list: Node): Group[] {
  return childrenOf(list, 'group').map((node) => {
    const group = parseGroup(node);
    if (!group) throw new UnreadableAnswerError('a list has a group that cannot be read');
    return group;
  });
}

async function ask(client: Client, to: Jid, query: Node, expected: string): Promise<Node> {
  const found = childOf(await client.query({ type: 'get', xmlns: 'w:g2', to, content: [query] }), expected);
  if (!found) throw new UnreadableAnswerError(`an answer has no ${expected}`);
  return found;
}
