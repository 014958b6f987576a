/** Cool-downs of accounts: their length, the waiting posts, and restarts. */
import { describe, expect, test } from 'vitest';
import type { SessionState } from '../../../../src/messengers/messenger.ts';
import { createCooldown } from '../../../../src/messengers/whatsapp/connect/cooldown.ts';
import { until } from '../../../support/ledger.ts';
import {
  progressOf,
  sendCampaign,
  statusOf,
  statusWhen,
  type Status,
  timesShown,
  allOnce,
} from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { tellRestriction } from '../../../../harness/whatsapp-peer/phones.ts';

/** Longer than any test: the tests end a cool-down themselves. */
const REST_MS = 3_600_000;
const scene = await setWhatsAppScene({ cooldownMs: REST_MS });
const { peer, database, linked, finished } = scene;

/** Waits until the metric counts this many paused accounts for a cause; it is updated every few seconds. */
async function paused(cause: string, count: number): Promise<void> {
  const counted = async () => {
    const text = await (await fetch(`${scene.app.url}/metrics`)).text();
    return new RegExp(`^campanile_accounts_paused\\{cause="${cause}"\\} (\\d+)$`, 'm').exec(text)?.[1];
  };
  await until(counted, (found) => found === String(count));
}

describe('an account', () => {
  test('pauses for as long as WhatsApp restricts it, or until the restriction is lifted', async () => {
    const { person, companion, groups } = await linked(2);
    const ends = new Date(Date.now() + 2 * REST_MS);
    peer.script.restrictedUntil = ends;
    let seen = 0;
    peer.script.judge = () => (++seen === 1 ? { refuse: 463 } : 'accept');
    const campaign = await sendCampaign(person, groups, 'restricted');
    const status = await until(
      () => statusOf(person),
      ({ paused_until }) => Math.abs(Date.parse(paused_until ?? '') - ends.getTime()) < 120_000,
    );
    expect(status).toMatchObject({ status: 'paused', reason: expect.stringContaining('restricted') });
    await paused('restricted', 1);
    expect(await progressOf(person, campaign)).toMatchObject({
      totals: { queued: 2, failed: 0 },
      groups: [{ last_error: null }, { last_error: null }],
    });
    tellRestriction(companion, undefined);
    await statusWhen(person, 'connected');
    await paused('restricted', 0);
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 2, failed: 0 });
    expect(seen).toBe(3);
    expect(timesShown(peer, 'restricted')).toEqual(allOnce(2));
  });

  test('resumes when the lock that paused it was lifted while the service was down', async () => {
    const { person, groups } = await linked(1);
    const ends = new Date(Date.now() + 2 * REST_MS);
    peer.script.restrictedUntil = ends;
    let seen = 0;
    peer.script.judge = () => (++seen === 1 ? { refuse: 463 } : 'accept');
    const campaign = await sendCampaign(person, groups, 'lifted meanwhile');
    await until(
      () => statusOf(person),
      ({ paused_until }) => Math.abs(Date.parse(paused_until ?? '') - ends.getTime()) < 120_000,
    );
    peer.script.restrictedUntil = undefined;
    await scene.restart();
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1 });
  });

  test('pauses when posts to several groups in a row are rejected, and no delivery fails', async () => {
    const { person, groups } = await linked(7);
    // By chat: on a slow machine a post is tried again before the last of them was tried once.
    const chats = new Set<string>();
    peer.script.judge = ({ chatId }) => {
      const isRefused = chats.size < 5;
      chats.add(chatId);
      return isRefused ? { refuse: 500 } : 'accept';
    };
    const campaign = await sendCampaign(person, groups, 'one after the other');
    const status = await statusWhen(person, 'paused');
    expect(status.reason).toContain('one post after the other');
    expect((await progressOf(person, campaign)).totals).toMatchObject({ queued: 7, failed: 0 });
    await scene.stop();
    await database.clock.advance(2 * REST_MS);
    await scene.start();
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 7, failed: 0 });
    expect(timesShown(peer, 'one after the other')).toEqual(allOnce(7));
  });

  test('goes on when one campaign is refused for good and for one reason, which pauses that campaign alone', async () => {
    const { person, groups } = await linked(6);
    let isRefusing = true;
    peer.script.judge = () => (isRefusing ? { refuse: 403 } : 'accept');
    const campaign = await sendCampaign(person, groups, 'refused for good');
    const details = async () =>
      (
        await person.call<{ status: string; pause_reason?: string }>('venom/get-campaign', {
          campaign_id: campaign,
        })
      ).body.data;
    const paused = await until(details, ({ status }) => status === 'paused');
    expect(paused.pause_reason).toMatch(/refused for one reason: You may not post here.*Resume the campaign/);
    isRefusing = false;
    const other = await sendCampaign(person, groups, 'another campaign');
    expect((await finished(person, other)).totals).toMatchObject({ sent: 6, failed: 0 });
    expect((await statusOf(person)).status).toBe('connected');
    expect((await progressOf(person, campaign)).totals).toMatchObject({ sent: 0, failed: 3, queued: 3 });
    expect((await person.call('venom/resume-campaign', { campaign_id: campaign })).status).toBe(200);
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 3, failed: 3 });
    expect(timesShown(peer, 'refused for good')).toEqual(allOnce(3));
    expect(timesShown(peer, 'another campaign')).toEqual(allOnce(6));
  });

  test('pauses when a refusal is about the account, whatever was refused before it', async () => {
    const { person, groups } = await linked(5);
    const codes = [403, 403, 429];
    peer.script.judge = () => {
      const code = codes.shift();
      return code === undefined ? 'accept' : { refuse: code };
    };
    const campaign = await sendCampaign(person, groups, 'the account is refused');
    expect((await statusWhen(person, 'paused')).reason).toContain('less haste');
    expect((await progressOf(person, campaign)).totals).toMatchObject({ failed: 2, queued: 3 });
    await scene.stop();
    await database.clock.advance(2 * REST_MS);
    await scene.start();
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 3, failed: 2 });
  });

  test('goes on when posts to several groups in a row are refused for different reasons', async () => {
    const { person, groups } = await linked(6);
    const codes = [403, 404, 403, 400, 401];
    peer.script.judge = () => ({ refuse: codes.shift() });
    const campaign = await sendCampaign(person, groups, 'refused for many reasons');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 5 });
    expect((await statusOf(person)).status).toBe('connected');
  });

  test('stays paused across a broken connection and a restart, and resumes by itself', async () => {
    const { person, phone, companion, groups } = await linked(1);
    const untilWhen = ({ paused_until }: Status) => Date.parse(paused_until ?? '');
    let seen = 0;
    peer.script.judge = () => (++seen === 1 ? { refuse: 429 } : 'accept');
    const campaign = await sendCampaign(person, groups, 'after a restart');
    const first = await statusWhen(person, 'paused');
    const { connection } = companion;
    peer.cut(phone);
    await until(
      () => companion.connection,
      (now) => now !== undefined && now !== connection,
    );
    expect(await statusOf(person)).toMatchObject({ status: 'paused', reason: first.reason });
    await scene.restart();
    const second = await statusOf(person);
    expect(second).toMatchObject({ status: 'paused', reason: first.reason });
    // Another cool-down would be twice as long.
    expect(Math.abs(untilWhen(second) - untilWhen(first))).toBeLessThan(REST_MS / 4);
    await scene.stop();
    expect(seen).toBe(1);
    // One second of it remains.
    await database.clock.set(new Date(untilWhen(second) - 1_000));
    await scene.start();
    await statusWhen(person, 'connected');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(seen).toBe(2);
  });
});

describe('a cool-down', () => {
  const why = { cause: 'rate_limited', reason: 'Less haste' } as const;

  test('doubles each time, up to six hours', () => {
    for (const [times, leastMs, mostMs] of [
      [0, 750, 1_250],
      [1, 1_500, 2_500],
      [4, 12_000, 20_000],
      [40, 6 * 3_600_000, 6 * 3_600_000],
    ] as const) {
      const rest = createCooldown(() => undefined, 1_000, { ...why, leftMs: 0, times });
      const ms = rest.begin(why);
      rest.stop();
      expect(ms).toBeGreaterThanOrEqual(leastMs);
      expect(ms).toBeLessThanOrEqual(mostMs);
    }
  });

  test('hides the state of the connection while it lasts', async () => {
    const told: SessionState[] = [];
    const rest = createCooldown((state) => void told.push(state), 40, undefined);
    rest.report({ status: 'connected' });
    rest.begin(why);
    // Further rejections are part of the same cool-down.
    expect(rest.begin(why)).toBeLessThanOrEqual(50);
    rest.report({ status: 'reconnecting', reason: 'It broke' });
    await until(
      () => Promise.resolve(told.at(-1)?.status),
      (status) => status === 'reconnecting',
    );
    expect(told.map(({ status }) => status)).toEqual(['connected', 'paused', 'paused', 'reconnecting']);
    expect(told.flatMap((state) => (state.status === 'paused' ? [state.times] : []))).toEqual([1, 1]);
    expect(rest.now()).toBeUndefined();
  });
});
