/** Private messages are never decrypted. Messages about groups are, and messages of the account's own phone to its devices. */
import { proto } from 'baileys';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { progressOf, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { workspaceOf } from '../../../support/workspaces.ts';
import { postInGroup, reactionTo, sendReceipt, takeBundle } from '../../../../harness/whatsapp-peer/phones.ts';
import {
  postStatus,
  tellDevice,
  writeFromPhone,
  writePrivately,
} from '../../../../harness/whatsapp-peer/private-chats.ts';
import type { Stanza } from '../../../../harness/whatsapp-peer/stanza.ts';
import { companionLid, type Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, database, members, linked, finished } = scene;
const [ann] = members as [PeerPerson];
const stranger = () => peer.addPerson(`44770091${String(peer.world.people.length).padStart(4, '0')}`);

/** The Signal sessions of the account with their counters: every decryption changes them. */
async function keysOf(person: Person): Promise<Array<{ kind: string; name: string; hash: string }>> {
  const { rows } = await sql<{ kind: string; name: string; hash: string }>`
    select k.kind, k.name, md5(k.sealed) as hash from account_keys k join accounts a using (account_id)
    where a.workspace_id = ${workspaceOf(person)} and k.kind not in ('creds', 'device-list')
    order by k.kind, k.name`.execute(database.db);
  return rows;
}

/** The answer of a device to a message, and the error code if it rejects it. */
const tellAnswer = ({ tag, attrs }: Stanza) =>
  [tag, attrs['class'], attrs['type'] === 'text' ? undefined : attrs['type'], attrs['error']].filter(Boolean).join(' ');

describe('a private message', () => {
  test('is acknowledged, and neither decrypted nor receipted', async () => {
    const { companion, person } = await linked(0);
    const before = await until(
      () => keysOf(person),
      (keys) => keys.some(({ kind }) => kind === 'lid-mapping'),
    );
    const by = stranger();
    const answers = [
      await writePrivately(companion, { by, text: 'Are you there?' }),
      await writePrivately(companion, { by, text: 'lost', isUnreadable: true }),
      await writeFromPhone(companion, by, 'I am'),
      await postStatus(companion, { by, text: 'At the sea' }),
    ];
    expect(answers.map(tellAnswer)).toEqual(Array.from(answers, () => 'ack message'));
    expect(await keysOf(person)).toEqual(before);
    expect(tellAnswer(await postStatus(companion, { by, text: 'lost', isUnreadable: true }))).toBe('ack message');
    expect(tellAnswer(await postStatus(companion, { by, text: 'Home again', as: 'status' }))).toBe('ack status');
    expect(await keysOf(person)).toEqual(before);
  });

  test('does not block the queue behind it', async () => {
    const { companion, person, groups } = await linked(1);
    const campaign = await sendCampaign(person, groups, 'before the service was away');
    await finished(person, campaign);
    const post = peer.arrivals.at(-1);
    if (!post) throw new Error('nothing was posted');
    const { chatId, messageId } = post;
    await scene.stop();
    const by = stranger();
    const waiting = [
      postStatus(companion, { by, text: 'lost', isUnreadable: true }),
      writePrivately(companion, { by, text: 'lost', isUnreadable: true }),
      postStatus(companion, { by, text: 'lost', isUnreadable: true, as: 'status' }),
      sendReceipt(companion, { chatId, messageIds: [messageId], by: ann, type: 'read' }),
      postInGroup(companion, { chatId, by: ann, message: reactionTo(post) }),
    ];
    await scene.start();
    await Promise.all(waiting);
    expect((await progressOf(person, campaign)).totals).toMatchObject({ read: 1, reactions: 1 });
  });
});

test('reads messages of the account’s own phone to its devices', async () => {
  const { companion, person } = await linked(0);
  const { APP_STATE_SYNC_KEY_SHARE } = proto.Message.ProtocolMessage.Type;
  const key = { keyId: { keyId: Buffer.from('key-1') }, keyData: { keyData: Buffer.alloc(32, 1), timestamp: 1 } };
  const told = { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys: [key] } };
  expect(await tellDevice(companion, told)).toMatchObject({ tag: 'receipt', attrs: { type: 'peer_msg' } });
  await expect.poll(async () => (await keysOf(person)).map(({ kind }) => kind)).toContain('app-state-sync-key');
});

test('drops a session that has grown with the private messages that are not read', async () => {
  const { companion, person, groups } = await linked(1);
  await finished(person, await sendCampaign(person, groups, 'before the messages'));
  const post = peer.arrivals.at(-1);
  const [phone] = ann.devices;
  if (!post || !phone) throw new Error('nothing was posted');
  // Messages between Ann and the account that the account never decrypts.
  for (let count = 0; count < 1_300; count++)
    await phone.encryptTo(companionLid(companion), () => takeBundle(companion), { conversation: 'Are you there?' });
  await postInGroup(companion, { chatId: post.chatId, by: ann, message: reactionTo(post) });
  const { rows } = await sql<{ bytes: number }>`
    select max(length(k.sealed)) as bytes from account_keys k join accounts a using (account_id)
    where a.workspace_id = ${workspaceOf(person)} and k.kind = 'session'`.execute(database.db);
  expect(rows[0]?.bytes).toBeLessThan(66_000);
  // The next one is decrypted with a new session.
  await postInGroup(companion, { chatId: post.chatId, by: ann, message: reactionTo(post, '🎉') });
  await finished(person, await sendCampaign(person, groups, 'after the messages'));
  expect(peer.arrivals.filter(({ text }) => text === 'after the messages').map(({ device }) => device)).toContain(
    phone.jid,
  );
});
