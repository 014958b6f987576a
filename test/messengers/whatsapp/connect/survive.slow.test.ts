/** Failures between the service and WhatsApp: they cost only time. */
import { describe, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import {
  allOnce,
  progressOf,
  sendCampaign,
  statusOf,
  statusWhen,
  stoodAs,
  timesShown,
} from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

/** The query for the followed channels. */
const LIST_CHANNELS = '6388546374527196';
// Some answers are lost on purpose.
const scene = await setWhatsAppScene({ answerMs: 1_500 });
const { peer, database, members, linked, finished } = scene;
const somebody = await linked(3);

describe('a post', () => {
  test('is sent again under its id when its acknowledgement is lost, and every device shows it once', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 2);
    let lost = 0;
    peer.script.judge = () => (++lost === 1 ? 'lose the answer' : 'accept');
    const campaign = await sendCampaign(person, groups, 'lost answer');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 2, failed: 0 });
    expect(lost).toBeGreaterThanOrEqual(3);
    expect(timesShown(peer, 'lost answer')).toEqual(allOnce(2));
  });

  test('fails with the reason of a final rejection, and the others are sent', async () => {
    const { person, groups } = somebody;
    let seen = 0;
    peer.script.judge = () => (++seen === 2 ? { refuse: 403 } : 'accept');
    const { totals, groups: outcomes } = await finished(person, await sendCampaign(person, groups, 'one refused'));
    expect(totals).toMatchObject({ sent: 2, failed: 1 });
    expect(outcomes.map(({ last_error }) => last_error)).toEqual([null, expect.stringContaining('may not post'), null]);
    expect(timesShown(peer, 'one refused')).toEqual(allOnce(2));
  });

  test('is attempted again after a temporary rejection', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    let seen = 0;
    peer.script.judge = () => (++seen <= 2 ? { refuse: 500 } : 'accept');
    const { totals } = await finished(person, await sendCampaign(person, groups, 'refused twice'));
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, 'refused twice')).toEqual(allOnce(1));
  });

  test('fails without an attempt in a group where the account may not post', async () => {
    const { person, phone, groups } = await linked(2);
    const [first, second] = [...peer.world.groups.values()].slice(-2);
    if (!first || !second) throw new Error('the groups are not there');
    first.isAnnouncement = true;
    first.participants.set(`${phone.lid}@lid`, 'member');
    second.participants.delete(`${phone.lid}@lid`);
    const before = peer.received.length;
    const { totals, groups: outcomes } = await finished(person, await sendCampaign(person, groups, 'not allowed'));
    expect(totals).toMatchObject({ sent: 0, failed: 2 });
    for (const { last_error } of outcomes) expect(last_error).toMatch(/admins/);
    expect(peer.received.length).toBe(before);
  });

  test('is searched for in a channel when its acknowledgement is lost, and not sent twice', async () => {
    const { person } = somebody;
    const created = await person.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
    let seen = 0;
    peer.script.judge = () => (++seen === 1 ? 'lose the answer' : 'accept');
    const campaign = await sendCampaign(person, [created.body.data.group_metadata_id], 'in a channel');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(seen).toBe(1);
    expect(timesShown(peer, 'in a channel')).toEqual([1]);
  });

  test('is not sent again by itself to a channel where it never arrived', async () => {
    const { person } = somebody;
    const created = await person.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'Bells' });
    peer.script.judge = () => 'cut before';
    const campaign = await sendCampaign(person, [created.body.data.group_metadata_id], 'never arrived');
    const { totals, groups } = await finished(person, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    expect(groups[0]?.last_error).toMatch(/^outcome_unknown/);
    expect(timesShown(peer, 'never arrived')).toEqual([]);
  });
});

describe('a campaign', () => {
  test('goes on after the connection breaks before a post and after one', async () => {
    const { person, groups } = await linked(6);
    let seen = 0;
    peer.script.judge = () => (++seen === 2 ? 'cut after' : seen === 4 ? 'cut before' : 'accept');
    const campaign = await sendCampaign(person, groups, 'cut in between');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 6, failed: 0 });
    expect(timesShown(peer, 'cut in between')).toEqual(allOnce(6));
  });

  test('waits while WhatsApp is down, and is sent afterwards', async () => {
    const { person, phone, groups } = await linked(2);
    peer.script.isReachable = false;
    peer.cut(phone);
    const away = await statusWhen(person, 'reconnecting');
    expect(away.reason).toMatch(/broke/);
    const campaign = await sendCampaign(person, groups, 'after a while');
    expect((await person.call('venom/create-community', { community_name: 'No' })).status).toBe(503);
    await database.clock.advance({ minutes: 1 });
    expect((await progressOf(person, campaign)).totals).toMatchObject({ queued: 2, failed: 0 });
    peer.behave();
    await statusWhen(person, 'connected');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 2, failed: 0 });
    expect(timesShown(peer, 'after a while')).toEqual(allOnce(2));
  });

  test('pauses during a rate limit, and goes on after it', async () => {
    const { person, groups } = await linked(1);
    let seen = 0;
    peer.script.judge = () => (++seen === 1 ? { refuse: 429 } : 'accept');
    const campaign = await sendCampaign(person, groups, 'less haste');
    expect((await stoodAs(person, 'paused')).reason).toContain('haste');
    await statusWhen(person, 'connected');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(seen).toBeGreaterThanOrEqual(2);
  });
});

describe('an account', () => {
  test('is connected after a restart only when its connection stands', async () => {
    const { person, companion, groups } = await linked(1);
    const sandbox = await scene.app.signUp('sandbox');
    await sandbox.call('venom/connect-account', { messenger: 'sandbox' });
    // No connection breaks in the meantime.
    peer.script.ignoresLogin = () => true;
    await scene.restart({ outcomeMs: 10_000 });
    await statusWhen(person, 'reconnecting');
    const campaign = await sendCampaign(person, groups, 'before it stands');
    await database.clock.advance({ minutes: 1 });
    expect(await statusOf(person)).toMatchObject({ status: 'reconnecting', reason: expect.any(String) });
    expect((await progressOf(person, campaign)).totals).toMatchObject({ queued: 1, failed: 0 });
    expect(await scene.app.call('venom/account-status', {}, sandbox.token)).toMatchObject({
      body: { data: { messenger: 'sandbox', status: 'connected' } },
    });
    expect(companion.connection).toBeUndefined();
    peer.behave();
    await statusWhen(person, 'connected');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
  });
});

describe('the metadata of chats', () => {
  test('is queried once, and again when a member joins, who then receives the posts', async () => {
    const { person, groups } = await linked(1);
    const group = [...peer.world.groups.values()].at(-1);
    if (!group) throw new Error('the group is not there');
    let asked = 0;
    peer.script.refuseQuery = ({ to, action }) => {
      if (to === group.id && action === 'query') asked += 1;
      return undefined;
    };
    for (const text of ['first', 'second', 'third']) await finished(person, await sendCampaign(person, groups, text));
    expect(asked).toBe(1);
    const newcomer = peer.addPerson('4915100000009');
    await peer.join(group, newcomer);
    await until(
      async () => {
        await finished(person, await sendCampaign(person, groups, 'welcome'));
        return asked;
      },
      (times) => times === 2,
    );
    const seen = peer.arrivals.filter(({ device }) => device === newcomer.devices[0]?.jid);
    expect(seen.map(({ text }) => text)).toContain('welcome');
    expect(seen.map(({ text }) => text)).not.toContain('third');
  });

  test('is not queried during a rate limit', async () => {
    const { person, groups } = await linked(1);
    let asked = 0;
    peer.script.refuseQuery = ({ action }) => (action === 'query' && ++asked === 1 ? 429 : undefined);
    const campaign = await sendCampaign(person, groups, 'asked too often');
    await stoodAs(person, 'paused');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, 'asked too often')).toEqual(allOnce(1));
  });

  test('keeps channels when WhatsApp does not list them any more', async () => {
    const { person } = await linked(0);
    const kept = (await person.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'Kept' })).body.data;
    const gone = (
      await person.call<{ resp: { nid: { _serialized: string } } }>('venom/create-channel', { name: 'Gone' })
    ).body.data;
    peer.world.channels.delete(gone.resp.nid._serialized);
    peer.script.refuseQuery = ({ queryId }) => (queryId === LIST_CHANNELS ? 400 : undefined);
    expect((await person.call('venom/sync-groups')).body.data).toMatchObject({ removed: 1 });
    const { groups } = (await person.call<{ groups: object[] }>('venom/list-groups')).body.data;
    expect(groups).toEqual([
      expect.objectContaining({ group_name: 'Kept', group_metadata_id: kept.group_metadata_id }),
    ]);
  });
});

describe('a phone that could not decrypt a post', () => {
  test('gets it after a restart, too', async () => {
    const { person, companion, groups } = await linked(1);
    await finished(person, await sendCampaign(person, groups, 'asked for again'));
    const shown = peer.arrivals.find(({ text }) => text === 'asked for again');
    const device = members[0]?.devices[1];
    if (!shown || !device) throw new Error('nothing was shown');
    await scene.restart();
    await until(
      () => companion.connection,
      (connection) => connection !== undefined,
    );
    const before = peer.received.length;
    await peer.askAgain(companion, { chatId: shown.chatId, messageId: shown.messageId, device });
    const answers = await until(
      () => peer.received.slice(before),
      (stanzas) => stanzas.length > 0,
    );
    expect(answers[0]?.attrs).toMatchObject({ id: shown.messageId, participant: device.jid });
    expect(timesShown(peer, 'asked for again')).toEqual(allOnce(1));
  });
});

describe('the service', () => {
  test('sends the rest of a campaign after a restart in the middle of it', async () => {
    const { person, groups } = await linked(6);
    let seen = 0;
    const half = Promise.withResolvers<void>();
    peer.script.judge = () => {
      if (++seen === 3) half.resolve();
      return 'accept';
    };
    const campaign = await sendCampaign(person, groups, 'restarted');
    await half.promise;
    await scene.restart();
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 6, failed: 0 });
    expect(timesShown(peer, 'restarted')).toEqual(allOnce(6));
  });
});
