/** Reports changes of groups and communities, before their notification is acknowledged: WhatsApp delivers an unreported one again. */
import type { Client } from '../client/client.ts';
import { allChildrenOf } from '../client/node.ts';
import { changesGroup } from '../chats/follow-groups.ts';
import type { EmitMemberEvents } from './member-event-emitter.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** Listens to one connection, from before its opening to its end. */
export function listenForChats(
  client: Pick<Client, 'interceptStanzas'>,
  { accountId, emit }: { accountId: AccountId; emit: EmitMemberEvents },
): void {
  client.interceptStanzas('notification', (stanza, pass) => {
    const isListed = ({ tag }: { tag: string }) => tag === 'subject' || changesGroup(tag);
    if (stanza.attrs['type'] !== 'w:gp2' || !allChildrenOf(stanza).some(isListed)) return pass();
    void emit([{ kind: 'chats_changed', accountId }]).then((isRecorded) => {
      if (isRecorded) pass();
    });
  });
}
