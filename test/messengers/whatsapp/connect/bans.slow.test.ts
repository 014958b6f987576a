/** Accounts with a temporary ban, and accounts that WhatsApp does not allow to link. */
import { describe, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { progressOf, sendCampaign, statusOf, statusWhen, type Status } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

const BAN_SECONDS = 7_200;
const scene = await setWhatsAppScene();
const { peer, database, linked, finished } = scene;

test('pauses an account for the length of a temporary ban, also across a restart, and resumes by itself', async () => {
  const { person, phone, companion, groups } = await linked(1);
  peer.script.refuseLogin = { reason: '402', code: '101', expire: String(BAN_SECONDS) };
  peer.cut(phone);
  const banned = await statusWhen(person, 'paused');
  expect(banned.reason).toContain('banned this number for a while: it has written to too many people');
  const ends = Date.parse(banned.paused_until ?? '');
  expect(Math.abs(ends - Date.now() - BAN_SECONDS * 1_000)).toBeLessThan(120_000);
  const metrics = async () => await (await fetch(`${scene.app.url}/metrics`)).text();
  await until(metrics, (text) => text.includes('campanile_accounts_paused{cause="banned"} 1'));
  const campaign = await sendCampaign(person, groups, 'after the ban');
  peer.behave();

  const before = peer.logins.length;
  await scene.restart();
  // Another account, whose session is opened together with it.
  await linked(0);
  const kept = await statusOf(person);
  expect(kept).toMatchObject({ status: 'paused', reason: banned.reason });
  expect(Math.abs(Date.parse(kept.paused_until ?? '') - ends)).toBeLessThan(60_000);
  // The other account was linked, and logged in.
  expect(peer.logins.length - before).toBe(2);
  expect(companion.connection).toBeUndefined();
  expect((await progressOf(person, campaign)).totals).toMatchObject({ queued: 1, failed: 0 });

  await scene.stop();
  await database.clock.set(new Date(ends - 1_000));
  await scene.start();
  await statusWhen(person, 'connected');
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
});

describe('linking an account', () => {
  test.each([
    [402, 'banned this number for a while'],
    [403, 'locked'],
    [405, 'no longer accepts this version'],
    [406, 'banned'],
    [409, 'no longer accepts this version'],
    [415, 'refuses the login (415)'],
    [429, 'less haste'],
  ])('reports why WhatsApp rejects it with %i', async (code, why) => {
    const person = await scene.app.signUp(`refused${code}`);
    peer.script.refuseLogin = code;
    const answer = await person.call<Status>('venom/connect-account');
    expect(answer).toMatchObject({ status: 503, body: { message: expect.stringContaining(why) } });
    expect(await statusOf(person)).toMatchObject({ status: 'unlinked', reason: expect.stringContaining(why) });
  });

  test('counts a rejected version of the client', async () => {
    const counted = async () => {
      const text = await (await fetch(`${scene.app.url}/metrics`)).text();
      return Number(/^campanile_whatsapp_alarms_total\{alarm="version_refused"\} (\d+)$/m.exec(text)?.[1]);
    };
    const before = await counted();
    expect(before).toBeGreaterThanOrEqual(0);
    const person = await scene.app.signUp('counted');
    peer.script.takesClient = () => false;
    expect((await person.call<Status>('venom/connect-account')).status).toBe(503);
    expect(await counted()).toBe(before + 1);
  });
});
