import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import { isChannel, isGroup } from '../client/jid.ts';
import type { Node } from '../client/node.ts';
import { isOwn, readIds } from './participants.ts';

/**
 * Acknowledges statuses and private chats before the library receives them, so that private messages are never decrypted. The
 * library's own option to ignore chats rejects their messages, and WhatsApp then holds back the queue behind a rejected status.
 */
export function skipPrivateChats(client: Client, log: Log): void {
  const acknowledge = (stanza: Node) => {
    client.acknowledge(stanza).catch((error: unknown) => {
      log.debug({ err: error }, 'a private message was not acknowledged, WhatsApp tells it again');
    });
  };
  client.interceptStanzas('message', (stanza, pass) => (isPrivate(client, stanza) ? acknowledge(stanza) : pass()));
  // The library does not acknowledge these statuses, for which WhatsApp ends the connection again and again.
  client.onStanza({ tag: 'status' }, acknowledge);
}

/** False for groups, channels, and messages of the account's phone to its devices, such as keys, which have no recipient. */
function isPrivate(client: Client, { attrs: { from = '', recipient, category } }: Node): boolean {
  if (isGroup(from) || isChannel(from)) return false;
  const sender = readIds([from]);
  const isForOwnDevices = recipient === undefined || category === 'peer';
  return !(sender && isOwn(client, sender) && isForOwnDevices);
}
