/** Answers about channels that are refused, empty, unreadable or missing: they break neither the list of groups nor posts. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { addOwnChannel, progressOf, sendCampaign, statusOf, stoodAs } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { NEWER_QUERY_IDS, QUERY_IDS, refusal } from '../../../../harness/whatsapp-peer/answer-channels.ts';
import { element } from '../../../../harness/whatsapp-peer/stanza.ts';
import { addGroup } from '../../../../harness/whatsapp-peer/world.ts';
import type { Script } from '../../../../harness/whatsapp-peer/state.ts';

const scene = await setWhatsAppScene({ answerMs: 1_500, channelAnswerMs: 700 });
const { peer, linked, finished } = scene;

/** The ids of the queries in JSON since the test began. */
let asked: string[] = [];

beforeEach(() => {
  asked = [];
});

type MexAnswer = ReturnType<Script['answerMex']>;

/** Answers the queries about channels with these ids this way. */
function answerMex(answer: MexAnswer, ids = [...Object.values(QUERY_IDS), ...Object.values(NEWER_QUERY_IDS)]): void {
  peer.script.answerMex = (queryId) => {
    asked.push(queryId);
    return ids.includes(queryId) ? answer : undefined;
  };
}

const result = (content: Buffer, attributes = {}) => [element('result', attributes, content)];

interface Listed {
  group_name: string;
  kind: string;
  participants: number;
}

async function listed(person: Person): Promise<Listed[]> {
  return (await person.call<{ groups: Listed[] }>('venom/list-groups', { limit: 500 })).body.data.groups;
}

const kindsOf = async (person: Person) => (await listed(person)).map(({ kind }) => kind).toSorted();

const unreadSince = async (person: Person) =>
  ((await statusOf(person)) as { channels_unread_since?: string }).channels_unread_since;

describe('the list of channels', () => {
  test.each<[string, MexAnswer]>([
    ['that is refused with 404', 404],
    ['that is refused with 400', 400],
    ['whose query ids are retired', refusal('Bad Request', 400)],
    ['that is null', 'null'],
    ['that cannot be parsed', result(Buffer.from('<html>'))],
    ['in another format', result(Buffer.from([1, 2, 3]), { format: 'argo' })],
    ['of another shape', result(Buffer.from('{"data":{"xwa2_newsletter_subscribed":{"items":[]}}}'))],
    ['with a channel that says nothing', result(Buffer.from('{"data":{"xwa2_newsletter_subscribed":[{"id":null}]}}'))],
    ['without a result', []],
  ])('%s keeps the known channels, and the groups are read', async (_what, answer) => {
    const { person, phone } = await linked(0);
    await addOwnChannel(peer, { person, phone });
    expect(await unreadSince(person)).toBeUndefined();
    answerMex(answer);
    addGroup(peer.world, phone, { subject: 'Made on the phone' });
    const { status, body } = await person.call('venom/sync-groups');
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { added: 1, updated: 0, removed: 0 } });
    expect(await kindsOf(person)).toEqual(['channel', 'group']);
    expect(await unreadSince(person)).toEqual(expect.any(String));
    peer.behave();
    await person.call('venom/sync-groups');
    expect(await unreadSince(person)).toBeUndefined();
  });

  test('that nobody answers keeps the known channels, and the groups are read', async () => {
    const { person, phone } = await linked(0);
    await addOwnChannel(peer, { person, phone });
    peer.script.refuseQuery = ({ namespace }) => (namespace === 'w:mex' ? 'silence' : undefined);
    addGroup(peer.world, phone, { subject: 'Made on the phone' });
    expect((await person.call('venom/sync-groups')).body.data).toMatchObject({ added: 1, updated: 0, removed: 0 });
    expect(await kindsOf(person)).toEqual(['channel', 'group']);
    expect(await unreadSince(person)).toEqual(expect.any(String));
  });

  test('that is limited keeps the known channels, is not asked for by other queries, and the account rests', async () => {
    const { person, phone } = await linked(0);
    await addOwnChannel(peer, { person, phone });
    answerMex(429);
    expect((await person.call('venom/sync-groups')).status).toBe(200);
    expect(asked).toEqual([QUERY_IDS.list]);
    expect(await kindsOf(person)).toEqual(['channel']);
    expect(await stoodAs(person, 'paused')).toMatchObject({ status: 'paused' });
  });

  test('is asked for by the newer query if the older one is retired', async () => {
    const { person, phone } = await linked(0);
    answerMex(refusal('Bad Request', 400), Object.values(QUERY_IDS));
    await addOwnChannel(peer, { person, phone });
    expect(await kindsOf(person)).toEqual(['channel']);
    expect(await unreadSince(person)).toBeUndefined();
    expect(asked).toContain(NEWER_QUERY_IDS.list);
  });

  test('is replaced by a query for each known channel if both queries are retired', async () => {
    const { person, phone } = await linked(0);
    const { channel } = await addOwnChannel(peer, { person, phone });
    channel.followers = 77;
    answerMex(refusal('Bad Request', 400), [QUERY_IDS.list, QUERY_IDS.read, NEWER_QUERY_IDS.list]);
    await person.call('venom/sync-groups');
    expect(await listed(person)).toMatchObject([{ kind: 'channel', participants: 77 }]);
    expect(asked).toContain(NEWER_QUERY_IDS.read);
  });

  test('without a deleted channel removes it', async () => {
    const { person, phone } = await linked(0);
    const { channel } = await addOwnChannel(peer, { person, phone });
    peer.world.channels.delete(channel.id);
    expect((await person.call('venom/sync-groups')).body.data).toMatchObject({ removed: 1 });
    expect(await kindsOf(person)).toEqual([]);
  });
});

describe('a new channel', () => {
  test('is created by the newer query if the older one is retired', async () => {
    const { person } = await linked(0);
    answerMex(refusal('Bad Request', 400), Object.values(QUERY_IDS));
    const before = peer.world.channels.size;
    expect((await person.call('venom/create-channel', { name: 'Newer' })).status).toBe(200);
    expect(peer.world.channels.size).toBe(before + 1);
  });

  test.each<[string, MexAnswer]>([
    ['null', 'null'],
    ['unreadable', result(Buffer.from('<html>'))],
  ])('whose answer is %s is not created twice, and its outcome is unknown', async (_what, answer) => {
    const { person } = await linked(0);
    answerMex(answer);
    const { status, body } = await person.call('venom/create-channel', { name: 'Unknown' });
    expect({ status, body }).toMatchObject({ status: 503, body: { error_code: 'outcome_unknown' } });
    expect(asked).toEqual([QUERY_IDS.create]);
  });

  test('is created although nobody answers about the terms', async () => {
    const { person, phone } = await linked(0);
    phone.acceptedTerms = new Set(['20601217', '20601218']);
    peer.script.refuseQuery = ({ namespace }) => (namespace === 'tos' ? 'silence' : undefined);
    expect((await person.call('venom/create-channel', { name: 'Agreed before' })).status).toBe(200);
  });
});

describe('a post to a channel', () => {
  test.each<[string, () => void]>([
    ['is refused', () => answerMex(404)],
    [
      'is not answered',
      () => void (peer.script.refuseQuery = ({ namespace }) => (namespace === 'w:mex' ? 'silence' : undefined)),
    ],
  ])('is sent while every query about channels %s', async (_what, deviate) => {
    const { person, phone } = await linked(0);
    const { groupId } = await addOwnChannel(peer, { person, phone });
    await scene.restart();
    deviate();
    const campaign = await sendCampaign(person, [groupId], 'without a query');
    expect((await scene.finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0, recipients: 40 });
  });

  const lookFor = (answer: number | 'silence') =>
    (peer.script.refuseQuery = ({ namespace, action }) =>
      namespace === 'newsletter' && action === 'messages' ? answer : undefined);

  test.each<[string, number | 'silence']>([
    ['refused', 404],
    ['not answered', 'silence'],
  ])('that may have left is not called missing while the look for it is %s', async (_what, answer) => {
    const { person, phone } = await linked(0);
    const { channel, groupId } = await addOwnChannel(peer, { person, phone });
    lookFor(answer);
    peer.script.judge = () => 'lose the answer';
    const campaign = await sendCampaign(person, [groupId], 'looked for');
    const { groups, totals } = await finished(person, campaign);
    expect(totals).toMatchObject({ failed: 1 });
    expect(groups[0]?.last_error).toMatch(/^outcome_unknown: the recent posts could not be read/u);
    expect(channel.posts).toHaveLength(1);
    await person.call('venom/retry-campaign', { campaign_id: campaign });
    await finished(person, campaign);
    expect(channel.posts).toHaveLength(1);
    peer.behave();
    await person.call('venom/retry-campaign', { campaign_id: campaign });
    await until(
      async () => (await progressOf(person, campaign)).totals.sent,
      (sent) => sent === 1,
    );
    expect(channel.posts).toHaveLength(1);
  });

  test('is not called missing by an answer without posts or without their ids', async () => {
    const { person, phone } = await linked(0);
    const { channel, groupId } = await addOwnChannel(peer, { person, phone });
    let answer = [element('messages', {}, [element('message', { server_id: '100' })])];
    peer.script.answerPosts = () => answer;
    peer.script.judge = () => 'lose the answer';
    const campaign = await sendCampaign(person, [groupId], 'without ids');
    expect((await finished(person, campaign)).groups[0]?.last_error).not.toMatch(/not found/u);
    answer = [];
    await person.call('venom/retry-campaign', { campaign_id: campaign });
    expect((await finished(person, campaign)).groups[0]?.last_error).not.toMatch(/not found/u);
    expect(channel.posts).toHaveLength(1);
  });
});

describe('the views of a post in a channel', () => {
  const viewsOf = async (person: Person, campaign: string) => (await progressOf(person, campaign)).groups[0]?.views;

  async function sendTo(what: string) {
    const { person, phone } = await linked(0);
    const { channel, groupId } = await addOwnChannel(peer, { person, phone });
    const campaign = await sendCampaign(person, [groupId], what);
    await finished(person, campaign);
    const [post] = channel.posts;
    if (!post) throw new Error('nothing was posted');
    return { person, campaign, post };
  }

  test('are null until a count was told, and 0 if 0 was told', async () => {
    peer.script.hidesViews = ['messages', 'message_updates'];
    const { person, campaign, post } = await sendTo('not seen yet');
    post.reactions = { '👍': 2 };
    await until(
      async () => (await progressOf(person, campaign)).groups[0]?.reactions,
      (reactions) => reactions === 2,
    );
    expect(await viewsOf(person, campaign)).toBeNull();
    expect((await progressOf(person, campaign)).totals.views).toBeNull();
    peer.behave();
    await until(
      () => viewsOf(person, campaign),
      (views) => views === 0,
    );
  });

  test('are read from the posts if the counts alone have none', async () => {
    peer.script.hidesViews = ['message_updates'];
    const { person, campaign, post } = await sendTo('in full');
    post.views = 12;
    const seen = await until(
      () => viewsOf(person, campaign),
      (views) => views === 12,
    );
    expect(seen).toBe(12);
  });

  test('are read from the posts if nobody answers about the counts alone', async () => {
    peer.script.refuseQuery = ({ action }) => (action === 'message_updates' ? 'silence' : undefined);
    const { person, campaign, post } = await sendTo('silence');
    post.views = 13;
    const seen = await until(
      () => viewsOf(person, campaign),
      (views) => views === 13,
    );
    expect(seen).toBe(13);
  });
});
