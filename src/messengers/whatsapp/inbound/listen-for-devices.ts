/**
 * Hears of members that they have another phone, or other devices, and has it noted before WhatsApp is told that it has arrived. What
 * an earlier phone was given the new one does not have: the next post to each group that they are in brings it the key.
 */
import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import { childOf, type Node } from '../client/node.ts';
import type { KnownMember, KnownMembers } from '../send/known-members.ts';
import { findLid, lidName, numberName, readIds } from './participants.ts';

export interface HearingDevices {
  accountId: number;
  log: Log;
  members: KnownMembers;
}

/** Listens to one connection, from before its opening to its end. */
export function listenForDevices(client: Client, { accountId, log, members }: HearingDevices): void {
  client.interceptStanzas('notification', (stanza, pass) => {
    const change = readChange(stanza);
    if (!change) return pass();
    note(client, members, stanza, change).then(pass, (error: unknown) =>
      log.warn({ err: error, accountId }, 'a change of devices was not noted, WhatsApp tells it again'),
    );
  });
}

type Change = (member: KnownMember) => KnownMember;

function readChange(stanza: Node): Change | undefined {
  const { type } = stanza.attrs;
  if (type === 'devices') return askAgain;
  return type === 'encrypt' && childOf(stanza, 'identity') ? takeAnotherPhone : undefined;
}

const askAgain: Change = (member) => ({ ...member, askAgainAtMs: 0, leftOut: {} });

const takeAnotherPhone: Change = (member) => ({ ...askAgain(member), phone: member.phone + 1, isStale: true });

/** Groups may name them by either of their numbers. */
async function note(client: Client, members: KnownMembers, stanza: Node, change: Change): Promise<void> {
  const ids = readIds([stanza.attrs['from'], stanza.attrs['lid']]);
  if (!ids) return;
  const lid = ids.lid ?? (await findLid(client.lids, ids.number ?? ''));
  const number = ids.number ?? (await client.lids.findNumber(ids.lid ?? ''));
  const jids = [...(lid === undefined ? [] : [lidName(lid)]), ...(number === undefined ? [] : [numberName(number)])];
  await members.change(jids, (member) => member && change(member));
}
