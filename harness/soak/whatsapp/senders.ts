/** Senders with a linked account each, who post to their groups without a break, and members who react to the posts. */
import { sleep } from '../../../src/platform/time/time.ts';
import { pick } from '../../../test/support/inputs/random.ts';
import type { WhatsAppPeer } from '../../whatsapp-peer/peer.ts';
import { postInGroup, reactionTo, replyTo, sendReceipt } from '../../whatsapp-peer/phones.ts';
import { addGroup, type Companion, type Person } from '../../whatsapp-peer/world.ts';
import { listGroupIds, signUp, type Client } from '../../bench/support/client.ts';
import { until } from '../../bench/support/until.ts';

export interface Sender {
  client: Client;
  companion: Companion;
  groups: number[];
}

/** What the members of all groups have done, each person once for each post. */
export interface Done {
  posts: number;
  delivered: number;
  read: number;
  reactions: number;
  replies: number;
}

export const GROUPS_EACH = 2;

export async function linkSender(url: string, peer: WhatsAppPeer, number: string): Promise<Sender> {
  const phone = peer.addPerson(number);
  const client = await signUp(url, `sender${number}`, `+${number}`);
  const { qr } = await client.call<{ qr: string }>('venom/connect-account');
  const companion = await peer.scan(phone, qr);
  await until('the account', async () => {
    const { status } = await client.call<{ status: string }>('venom/account-status');
    return status === 'connected';
  });
  return { client, companion, groups: [] };
}

export async function giveGroups(peer: WhatsAppPeer, sender: Sender, members: readonly Person[]): Promise<void> {
  const { client, companion } = sender;
  for (let index = 0; index < GROUPS_EACH; index++)
    addGroup(peer.world, companion.person, { subject: `Group ${index}` }, members);
  await client.call('venom/sync-groups');
  sender.groups = await listGroupIds(client);
}

export async function post({ client, groups }: Sender): Promise<void> {
  const campaign = { name: 'Soak', html: `<p>At <b>${Date.now()}</b></p>`, group_metadata_ids: groups };
  await client.call('venom/add-campaign', campaign);
}

/** All members receive the post, most read it, some react. Resolves when the service has recorded everything. */
export async function respond(
  companion: Companion,
  { chatId, messageId }: { chatId: string; messageId: string },
  { members, random, done }: { members: readonly Person[]; random: () => number; done: Done },
): Promise<void> {
  done.posts += 1;
  const about = { chatId, messageIds: [messageId] };
  await Promise.all(
    members.map(async (by) => {
      await sleep(random() * 2_000);
      const as = pick(random, ['lid', 'lid', 'lid', 'both', 'number'] as const);
      await sendReceipt(companion, { ...about, by, as });
      done.delivered += 1;
      if (random() > 0.8) return;
      await sleep(random() * 2_000);
      await sendReceipt(companion, { ...about, by, type: 'read', as });
      done.read += 1;
    }),
  );
  // One after the other, as each phone's own encryption has it.
  for (const by of members) {
    if (random() < 0.1) {
      await postInGroup(companion, { chatId, by, message: reactionTo({ chatId, messageId }) });
      done.reactions += 1;
    }
    if (random() < 0.05) {
      await postInGroup(companion, { chatId, by, message: replyTo({ messageId }, 'Thank you!') });
      done.replies += 1;
    }
  }
}
