import type { Connection } from './connection.ts';
import { acceptTerms, answerChannelQuery, listPosts } from './answer-channels.ts';
import { answerGroupQuery } from './answer-groups.ts';
import { answerKeyQuery, findUsers } from './answer-keys.ts';
import { LARGEST_UPLOAD } from './media-host.ts';
import { continuePairing } from './pair.ts';
import { answerPasskeyQuery } from './passkey.ts';
import type { PeerState } from './state.ts';
import { child, element, elementsOf, seconds, SERVER, type Stanza, actionOf } from './stanza.ts';

/** The content of an answer, or an error code; undefined if the peer does not know the query. */
export type QueryAnswer = Stanza[] | number | undefined;

/** Answers one query of a client. */
export async function answerQuery(state: PeerState, connection: Connection, query: Stanza): Promise<void> {
  const { xmlns: namespace = '', to = SERVER, id = '' } = query.attrs;
  const { query_id: queryId = '', jid: chatId = to } = elementsOf(query)[0]?.attrs ?? {};
  const users = usersIn(query);
  const refused = await state.script.refuseQuery({ namespace, to, action: actionOf(query), queryId, chatId, users });
  if (refused === 'silence') return;
  const answer = typeof refused === 'number' ? refused : await answerTo(state, connection, query);
  if (refused === 'lose the answer') return;
  if (answer === undefined) state.unanswered.push(query);
  const attributes = { id, from: to, t: seconds() };
  if (Array.isArray(answer)) {
    connection.send(element('iq', { ...attributes, type: 'result' }, answer));
    return;
  }
  const code = answer ?? 501;
  connection.send(element('iq', { ...attributes, type: 'error' }, [element('error', errorOf(code))]));
}

/** Returns the users of a query for devices or keys. */
function usersIn(query: Stanza): string[] {
  const asked = elementsOf(query)[0];
  return [...elementsOf(asked), ...elementsOf(child(asked, 'list'))].flatMap(({ tag, attrs }) =>
    tag === 'user' ? (attrs['jid'] ?? []) : [],
  );
}

const TEXTS: Readonly<Record<number, string>> = {
  400: 'bad-request',
  403: 'forbidden',
  404: 'item-not-found',
  406: 'not-acceptable',
  429: 'rate-overlimit',
  501: 'feature-not-implemented',
};
const errorOf = (code: number) => ({ code: String(code), text: TEXTS[code] ?? 'error' });

async function answerTo(state: PeerState, connection: Connection, query: Stanza): Promise<QueryAnswer> {
  const asked = elementsOf(query)[0];
  switch (query.attrs['xmlns']) {
    case 'w:p':
    case 'passive':
    case 'urn:xmpp:whatsapp:dirty':
    case 'w:stats':
    case 'status':
      return [];
    case 'tos':
      return asked ? acceptTerms(connection, asked) : [];
    case 'w:m':
      return [describeMediaHost(state)];
    case 'abt':
      return [element('props', { hash: 'peer' }, [])];
    case 'blocklist':
      return [element('list', {}, [])];
    case 'privacy':
      return [element('privacy', {}, [element('category', { name: 'readreceipts', value: 'all' })])];
    case 'w:sync:app:state':
      return [element('sync', {}, [])];
    case 'md':
      return answerDeviceQuery(state, connection, asked);
    case 'encrypt':
      return answerKeyQuery(state, connection, query);
    case 'usync':
      return asked && findUsers(state, asked);
    case 'w:g2':
      return asked && answerGroupQuery(state, connection, query, asked);
    case 'w:mex':
      return asked && answerChannelQuery(state, connection, asked);
    case 'newsletter':
      return asked && listPosts(state, query, asked);
    default:
      return undefined;
  }
}

function describeMediaHost({ mediaHost }: PeerState): Stanza {
  const host = element('host', { hostname: mediaHost.hostname, maxContentLengthBytes: String(LARGEST_UPLOAD) });
  return element('media_conn', { auth: mediaHost.auth, ttl: '3600', auth_ttl: '21600', max_buckets: '12' }, [host]);
}

function answerDeviceQuery(state: PeerState, connection: Connection, asked: Stanza | undefined): QueryAnswer {
  if (asked?.tag === 'link_code_companion_reg') return continuePairing(connection, asked);
  if (asked?.tag !== 'remove-companion-device') return asked && answerPasskeyQuery(state, connection, asked);
  const { companion } = connection;
  companion?.person.companions.delete(companion.device);
  return [];
}
