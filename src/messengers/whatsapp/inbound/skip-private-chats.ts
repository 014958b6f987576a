import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import { isChannel, isGroup } from '../client/jid.ts';
import type { Node } from '../client/node.ts';
import { isOwn, readIds } from './participants.ts';

/**
 * Acknowledges statuses and private chats before the client sees them: nobody's private messages are decrypted here. What the client
 * is told to ignore it refuses instead, and behind one status that was refused WhatsApp holds back all that waits.
 */
export function skipPrivateChats(client: Client, log: Log): void {
  const acknowledge = (stanza: Node) => {
    client.acknowledge(stanza).catch((error: unknown) => {
      log.debug({ err: error }, 'a private message was not acknowledged, WhatsApp tells it again');
    });
  };
  client.interceptStanzas('message', (stanza, pass) => (isPrivate(client, stanza) ? acknowledge(stanza) : pass()));
  // Some statuses come so, and to these the client says nothing at all: WhatsApp ends the connection again and again for that.
  client.onStanza({ tag: 'status' }, acknowledge);
}

/** Groups and channels are not, nor is what the account's own phone tells its devices, such as keys: that goes to no recipient. */
function isPrivate(client: Client, { attrs: { from = '', recipient, category } }: Node): boolean {
  if (isGroup(from) || isChannel(from)) return false;
  const sender = readIds([from]);
  const isForOwnDevices = recipient === undefined || category === 'peer';
  return !(sender && isOwn(client, sender) && isForOwnDevices);
}
