/** What ends a connection to WhatsApp, and what follows for the account. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from './support/app.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { until } from './support/ledger.ts';
import {
  addMembers,
  allOnce,
  finished,
  linkByQr,
  linkSomebody,
  sendCampaign,
  statusOf,
  statusWhen,
  timesShown,
  towards,
} from './support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from './whatsapp-peer/peer.ts';
import type { Person as PeerPerson } from './whatsapp-peer/world.ts';

vi.setConfig({ testTimeout: 60_000 });

let peer: WhatsAppPeer;
let database: TestDatabase;
let app: TestApp;
let members: PeerPerson[];

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
  app = await startTestApp(towards(peer), database);
  members = addMembers(peer);
});
afterEach(() => peer.behave());
afterAll(async () => {
  await app.stop();
  await peer.stop();
  await database.drop();
});

const linked = (groups: number) => linkSomebody({ peer, app, members }, groups);

describe('an account', () => {
  test('that is unlinked on the phone is told so, waits, and can be linked again', async () => {
    const { person, phone, groups } = await linked(1);
    peer.unlink(phone);
    expect((await statusWhen(person, 'logged_out')).reason).toContain('removed on the phone');
    const campaign = await sendCampaign(person, groups, 'linked again');
    expect((await person.call('venom/sync-groups')).status).toBe(409);
    await linkByQr(peer, person, phone);
    expect((await finished(app, person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, 'linked again')).toEqual(allOnce(1));
  });

  test('that was banned is told so and never connects again', async () => {
    const { person, phone } = await linked(0);
    peer.ban(phone);
    expect((await statusWhen(person, 'logged_out')).reason).toContain('banned');
    await app.stop();
    app = await startTestApp(towards(peer), database);
    const again = await app.signIn(person.name);
    expect(await statusOf(again)).toMatchObject({ status: 'logged_out', reason: expect.stringContaining('banned') });
    expect([...phone.companions.values()].every(({ connection }) => connection === undefined)).toBe(true);
  });

  test('whose link is used from elsewhere lets go of it for a while, and then tries again', async () => {
    const { person, phone, companion } = await linked(0);
    peer.replace(phone);
    const paused = await statusWhen(person, 'paused');
    expect(paused.reason).toContain('somewhere else');
    expect(companion.connection).toBeUndefined();
    expect(Date.parse(paused.paused_until ?? '')).toBeGreaterThan((await database.clock.now()).getTime());
    await statusWhen(person, 'connected');
  });

  test.each([408, 428, 500, 503, 515])('whose connection WhatsApp ends with %i comes back by itself', async (code) => {
    const { person, phone, companion, groups } = await linked(1);
    const { connection } = companion;
    peer.end(phone, code);
    await until(
      () => companion.connection,
      (now) => now !== undefined && now !== connection,
    );
    const campaign = await sendCampaign(person, groups, `after ${code}`);
    expect((await finished(app, person, campaign)).totals).toMatchObject({ sent: 1 });
  });

  test('that WhatsApp does not let in because of the version says what to do', async () => {
    const { person, phone } = await linked(0);
    peer.script.refuseLogin = 405;
    peer.cut(phone);
    const state = await until(
      () => statusOf(person),
      ({ reason }) => reason?.includes('updated') ?? false,
    );
    expect(state.status).toBe('reconnecting');
  });
});
