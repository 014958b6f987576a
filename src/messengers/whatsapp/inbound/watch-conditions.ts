import type { Client } from '../client/client.ts';
import type { WhatsAppCondition } from '../connect/conditions.ts';

/** Counts conditions that stanzas show. Listens to one connection, from before its opening to its end. */
export function watchConditions(client: Pick<Client, 'onStanza'>, onCondition: (one: WhatsAppCondition) => void): void {
  const own = { tag: 'notification', type: 'account_sync', child: 'devices' };
  client.onStanza(own, () => onCondition('own_devices_changed'));
  client.onStanza({ tag: 'receipt', type: 'retry' }, () => onCondition('post_asked_again'));
}
