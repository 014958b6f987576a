/** A text that does not fit below its file follows it, and neither is lost or shown twice whatever breaks in between. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from './support/app.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { until } from './support/ledger.ts';
import { drawPlain } from './support/pictures.ts';
import { addMembers, finished, linkSomebody, sendCampaign, towards, type Linked } from './support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from './whatsapp-peer/peer.ts';
import { postsNow } from './whatsapp-peer/posts-now.ts';
import type { Verdict } from './whatsapp-peer/state.ts';
import { addChannel, type Channel, type Person as PeerPerson } from './whatsapp-peer/world.ts';

vi.setConfig({ testTimeout: 60_000 });

let peer: WhatsAppPeer;
let database: TestDatabase;
let app: TestApp;
let members: PeerPerson[];
let picture: Buffer;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
  app = await startTestApp(towards(peer), database);
  members = addMembers(peer);
  picture = await drawPlain(30, 20, 'png');
});
afterEach(() => peer.behave());
afterAll(async () => {
  await app.stop();
  await peer.stop();
  await database.drop();
});

const linked = (groups: number) => linkSomebody({ peer, app, members }, groups);
const longText = (about: string) => `${about} ${'x'.repeat(1_100)}`;

/** What becomes of the posts, one after the other; whatever follows is accepted. */
function judgeInTurn(...verdicts: Verdict[]): void {
  peer.script.judge = () => verdicts.shift() ?? 'accept';
}

/** What each device has shown since, as the kind of file or the text. */
function shownSince(before: number): string[][] {
  const arrivals = peer.arrivals.slice(before);
  const byDevice = Map.groupBy(arrivals, ({ chatId, device }) => `${chatId} ${device}`);
  return [...byDevice.values()].map((all) => all.map(({ media, text }) => media?.kind ?? text));
}

describe('in a group', () => {
  test('a text of 1,024 characters is a caption, and one more is a message of its own', async () => {
    const { person, groups } = await linked(1);
    const before = peer.arrivals.length;
    const fits = 'y'.repeat(1_024);
    await finished(app, person, await sendCampaign(person, groups, fits, picture));
    expect(peer.arrivals.slice(before).map(({ media, text }) => [media?.kind, text])).toEqual(
      Array.from({ length: 4 }, () => ['image', fits]),
    );
    const then = peer.arrivals.length;
    await finished(app, person, await sendCampaign(person, groups, `${fits}y`, picture));
    expect(shownSince(then)).toEqual(Array.from({ length: 4 }, () => ['image', `${fits}y`]));
  });

  test.each<[string, Verdict[]]>([
    ['the answer to the file is lost', ['lose the answer']],
    ['the answer to the text is lost', ['accept', 'lose the answer']],
    ['the connection breaks before the text', ['accept', 'cut before']],
    ['the connection breaks after the text', ['accept', 'cut after']],
    ['the text is refused for the moment', ['accept', { refuse: 500 }]],
    ['the account has to rest before the text', ['accept', { refuse: 429 }]],
  ])('both are shown once when %s', async (what, verdicts) => {
    const { person, groups } = await linked(1);
    const before = peer.arrivals.length;
    judgeInTurn(...verdicts);
    const text = longText(what);
    const { totals } = await finished(app, person, await sendCampaign(person, groups, text, picture));
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect(shownSince(before)).toEqual(Array.from({ length: 4 }, () => ['image', text]));
  });

  test('a delivery is not sent when its text is refused, and says so', async () => {
    const { person, groups } = await linked(1);
    judgeInTurn('accept', { refuse: 403 });
    const campaign = await sendCampaign(person, groups, longText('refused'), picture);
    const { totals, groups: outcomes } = await finished(app, person, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    expect(outcomes[0]?.last_error).toMatch(/^The file was sent, and its text was not/);
  });
});

test.each(['group', 'channel'])('in a %s both are gone when the campaign is recalled', async (kind) => {
  const { person, phone, groups } = await linked(kind === 'group' ? 1 : 0);
  if (kind === 'channel') {
    addChannel(peer.world, phone, { name: 'Recalled' });
    await person.call('venom/sync-groups');
    const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    groups.push(...body.data.groups.map((group) => group.group_metadata_id));
  }
  const before = peer.arrivals.length;
  const campaign = await sendCampaign(person, groups, longText(`recalled in a ${kind}`), picture);
  await finished(app, person, campaign);
  const chatId = peer.arrivals[before]?.chatId ?? '';
  expect([...postsNow(peer, chatId).values()].map(({ length }) => length)).toContain(2);
  await person.call('venom/recall-campaign', { campaign_id: campaign });
  await until(
    () => [...postsNow(peer, chatId).values()],
    (devices) => devices.every(({ length }) => length === 0),
  );
});

describe('in a channel', () => {
  async function linkedWithChannel(): Promise<Linked & { channel: Channel; ids: number[] }> {
    const somebody = await linked(0);
    const channel = addChannel(peer.world, somebody.phone, { name: 'News', followers: 7 });
    await somebody.person.call('venom/sync-groups');
    const { body } = await somebody.person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    return { ...somebody, channel, ids: body.data.groups.map((group) => group.group_metadata_id) };
  }

  test.each<[string, Verdict[]]>([
    ['nothing breaks', []],
    ['the answer to the file is lost', ['lose the answer']],
    ['the connection breaks after the file', ['cut after']],
    ['the answer to the text is lost', ['accept', 'lose the answer']],
    ['the text is refused for the moment', ['accept', { refuse: 500 }]],
    ['the account has to rest before the text', ['accept', { refuse: 429 }]],
    ['the file is refused for the moment', [{ refuse: 500 }]],
  ])('both are posted once when %s', async (what, verdicts) => {
    const { person, ids } = await linkedWithChannel();
    const before = peer.arrivals.length;
    judgeInTurn(...verdicts);
    const text = longText(what);
    const { totals } = await finished(app, person, await sendCampaign(person, ids, text, picture));
    expect(totals).toMatchObject({ sent: 1, failed: 0, recipients: 7 });
    expect(shownSince(before)).toEqual([['image', text]]);
  });

  test('a text that may have left is not sent again by itself, and alone when its owner asks for it', async () => {
    const { person, ids, channel } = await linkedWithChannel();
    const before = peer.arrivals.length;
    judgeInTurn('accept', 'cut before');
    const text = longText('lost');
    const campaign = await sendCampaign(person, ids, text, picture);
    const { totals, groups } = await finished(app, person, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    expect(groups[0]?.last_error).toMatch(/^outcome_unknown/);
    expect(channel.posts).toHaveLength(1);
    await person.call('venom/retry-campaign', { campaign_id: campaign });
    expect((await finished(app, person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(shownSince(before)).toEqual([['image', text]]);
  });

  test('a file that never arrived is not sent again by itself, nor is its text', async () => {
    const { person, ids, channel } = await linkedWithChannel();
    judgeInTurn('cut before');
    const campaign = await sendCampaign(person, ids, longText('never'), picture);
    const { groups } = await finished(app, person, campaign);
    expect(groups[0]?.last_error).toMatch(/^outcome_unknown/);
    expect(channel.posts).toHaveLength(0);
  });
});
