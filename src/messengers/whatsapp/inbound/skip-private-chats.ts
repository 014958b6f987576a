import { isJidNewsletter, type BinaryNode, type WASocket } from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import { interceptStanzas } from '../connect/intercept-stanzas.ts';
import { isOwn, readIds } from './participants.ts';

/**
 * Acknowledges statuses and private chats before the client sees them: nobody's private messages are decrypted here. What the client
 * is told to ignore it refuses instead, and behind one status that was refused WhatsApp holds back all that waits.
 */
export function skipPrivateChats(client: WASocket, log: Log): void {
  const acknowledge = (stanza: BinaryNode) => {
    client.sendMessageAck(stanza).catch((error: unknown) => {
      log.debug({ err: error }, 'a private message was not acknowledged, WhatsApp tells it again');
    });
  };
  interceptStanzas(client, 'CB:message', (stanza, pass) => (isPrivate(client, stanza) ? acknowledge(stanza) : pass()));
  // Some statuses come so, and to these the client says nothing at all: WhatsApp ends the connection again and again for that.
  client.ws.on('CB:status', acknowledge);
}

/** Groups and channels are not, nor is what the account's own phone tells its devices, such as keys: that goes to no recipient. */
function isPrivate(client: WASocket, { attrs: { from = '', recipient, category } }: BinaryNode): boolean {
  if (from.endsWith('@g.us') || isJidNewsletter(from)) return false;
  const sender = readIds([from]);
  const isForOwnDevices = recipient === undefined || category === 'peer';
  return !(sender && isOwn(client, sender) && isForOwnDevices);
}
