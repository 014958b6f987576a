/**
 * Records that members have a new phone (identity change) or other devices (device list), before the notification is acknowledged. A
 * new phone lacks the sender keys, so the next post to each of the member's groups brings it the key.
 */
import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import { childOf, type Node } from '../client/node.ts';
import type { KnownMember, MemberCache } from '../send/member-cache.ts';
import { findLid, lidName, numberName, readIds } from './participants.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

export interface DeviceContext {
  accountId: AccountId;
  log: Log;
  members: MemberCache;
}

/** Listens to one connection, from before its opening to its end. */
export function listenForDevices(client: Client, { accountId, log, members }: DeviceContext): void {
  client.interceptStanzas('notification', (stanza, pass) => {
    const change = readChange(stanza);
    if (!change) return pass();
    record(client, members, stanza, change).then(pass, (error: unknown) =>
      log.warn({ err: error, accountId }, 'a change of devices was not recorded, WhatsApp delivers it again'),
    );
  });
}

type Change = (member: KnownMember) => KnownMember;

function readChange(stanza: Node): Change | undefined {
  const { type } = stanza.attrs;
  // `account_sync`: the account's own devices.
  if (type === 'devices' || (type === 'account_sync' && childOf(stanza, 'devices'))) return askAgain;
  return type === 'encrypt' && childOf(stanza, 'identity') ? takeAnotherPhone : undefined;
}

const askAgain: Change = (member) => ({ ...member, askAgainAtMs: 0, leftOut: {} });

const takeAnotherPhone: Change = (member) => ({ ...askAgain(member), phone: member.phone + 1, isStale: true });

/** Groups may address the member by LID or by phone number. */
async function record(client: Client, members: MemberCache, stanza: Node, change: Change): Promise<void> {
  const ids = readIds([stanza.attrs['from'], stanza.attrs['lid']]);
  if (!ids) return;
  const lid = ids.lid ?? (await findLid(client.lids, ids.number ?? ''));
  const number = ids.number ?? (await client.lids.findNumber(ids.lid ?? ''));
  const jids = [...(lid === undefined ? [] : [lidName(lid)]), ...(number === undefined ? [] : [numberName(number)])];
  await members.change(jids, (member) => member && change(member));
}
