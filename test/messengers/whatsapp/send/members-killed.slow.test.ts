/** A campaign to several WhatsApp groups while the service is killed: the analytics equal the actions of the phones. */
import { afterAll, expect, test } from 'vitest';
import { post, type Answer } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { draw, seededRandom } from '../../../support/inputs/random.ts';
import { removeService, startService, type Service } from '../../../support/service/service.ts';
import { startWhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import {
  postInGroup,
  reactionTo,
  replyTo,
  sendGathered,
  sendReceipt,
} from '../../../../harness/whatsapp-peer/phones.ts';
import type { Person } from '../../../../harness/whatsapp-peer/world.ts';

const NUMBER = '491511234567';
const GROUPS = 4;
const MEMBERS = 8;
const random = seededRandom(7);

const peer = await startWhatsAppPeer();
let service: Service | undefined;
afterAll(async () => {
  if (service) {
    await service.stop();
    await removeService(service);
  }
  await peer.stop();
});

interface Row {
  group_name: string;
  recipients: number;
  delivered: number;
  read: number;
  reactions: number;
  replies: number;
}

test('counts receipts, reactions and replies exactly when killed in between, and when they are repeated, late and out of order', async () => {
  const { environment } = peer;
  service = await startService({ environment });
  let token = '';
  const call = async <Data>(path: string, body: unknown = {}): Promise<Data> => {
    const answer = (await post(service?.url ?? '', path, body, token)) as unknown as Answer<Data>;
    expect(answer.body, path).toMatchObject({ error: false });
    return answer.body.data;
  };
  const numbers = { phone_number: NUMBER, whatsapp_number: NUMBER };
  const names = { first_name: 'Ann', last_name: '', user_name: 'ann', email: 'ann@example.com' };
  await call('user/create_user', { ...names, ...numbers, password: 'correct horse battery' });
  const credentials = { user_name: 'ann', password: 'correct horse battery' };
  token = (await call<{ token: string }>('user/authorize_user', credentials)).token;

  const phone = peer.addPerson(NUMBER);
  const members = Array.from({ length: MEMBERS }, (_, index) => peer.addPerson(`49151000010${index}`));
  const companion = await peer.scan(phone, (await call<{ qr: string }>('venom/connect-account')).qr);
  await until(
    () => call<{ status: string }>('venom/account-status'),
    ({ status }) => status === 'connected',
  );
  const ids: number[] = [];
  for (let index = 0; index < GROUPS; index++) {
    const group = { group_name: `Group ${index}`, participants: members.map(({ number }) => number) };
    ids.push((await call<{ group_metadata_id: number }>('venom/create-group', group)).group_metadata_id);
  }
  const campaign = { name: 'Fair', html: 'The fair is on', group_metadata_ids: ids };
  const { campaign_id } = await call<{ campaign_id: string }>('venom/add-campaign', campaign);
  const posts = await until(
    () => Promise.resolve([...new Map(peer.arrivals.map((one) => [one.chatId, one])).values()]),
    (found) => found.length === GROUPS,
  );

  const done = new Map<string, Record<'delivered' | 'read' | 'reactions' | 'replies', Set<Person>>>();
  const noted: Array<Promise<void>> = [];
  /** The events in two halves; each person does each action once or more. */
  async function happen(share: number): Promise<void> {
    for (const { chatId, messageId } of posts) {
      const did = done.get(chatId) ?? {
        delivered: new Set(),
        read: new Set(),
        reactions: new Set(),
        replies: new Set(),
      };
      done.set(chatId, did);
      const about = { chatId, messageIds: [messageId] };
      for (const by of draw(random, members, Math.ceil(MEMBERS * share))) {
        const as = random() < 0.5 ? 'lid' : 'number';
        const reads = random() < 0.6;
        if (reads) noted.push(sendReceipt(companion, { ...about, by, as, type: 'read' }));
        noted.push(sendReceipt(companion, { ...about, by, as }));
        if (random() < 0.3) noted.push(sendReceipt(companion, { ...about, by }));
        if (random() < 0.3) noted.push(sendGathered(companion, { chatId, messageId, by: [by, phone] }));
        did.delivered.add(by);
        if (reads) did.read.add(by);
        const reacts = random() < 0.4;
        if (reacts) noted.push(...(await say(by, chatId, reactionTo({ chatId, messageId }))));
        if (reacts) did.reactions.add(by);
        const replies = random() < 0.3;
        if (replies) noted.push(...(await say(by, chatId, replyTo({ messageId }, 'Good'))));
        if (replies) did.replies.add(by);
      }
    }
  }
  /** Encrypts the messages of a phone one after the other, without waiting for their acknowledgements. */
  async function say(by: Person, chatId: string, message: Parameters<typeof postInGroup>[1]['message']) {
    const sizeBefore = companion.outbox.size;
    const taken = postInGroup(companion, { chatId, by, message });
    await Promise.race([
      taken,
      until(
        () => Promise.resolve(companion.outbox.size),
        (size) => size > sizeBefore,
      ).catch(() => undefined),
    ]);
    return [taken];
  }

  await happen(0.5);
  await service.kill();
  await happen(0.6);
  service = await startService({ environment, folder: service.folder });
  await happen(0.3);
  await Promise.all(noted);

  const path = 'analytics/get-campaign-group-analytics-master';
  const { groups } = await call<{ groups: Row[] }>(path, { campaign_id });
  const expected = posts.map(({ chatId }) => {
    const { delivered, read, reactions, replies } = done.get(chatId) ?? {};
    return {
      group_name: peer.world.groups.get(chatId)?.subject,
      recipients: MEMBERS,
      delivered: delivered?.size,
      read: read?.size,
      reactions: reactions?.size,
      replies: replies?.size,
    };
  });
  const byName = <One extends { group_name?: string | undefined }>(rows: One[]) =>
    rows.toSorted((one, other) => (one.group_name ?? '').localeCompare(other.group_name ?? ''));
  expect(byName(groups)).toMatchObject(byName(expected));
});
