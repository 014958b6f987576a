/** Connections that WhatsApp neither begins nor refuses as it should: they end, and others follow. */
import { describe, expect, test, vi } from 'vitest';
import { until } from '../support/ledger.ts';
import { allOnce, sendCampaign, statusOf, statusWhen, timesShown, type Status } from '../support/whatsapp.ts';
import { setWhatsAppScene } from '../support/whatsapp-scene.ts';
import type { Companion } from '../whatsapp-peer/world.ts';

vi.setConfig({ testTimeout: 60_000 });

/** As many as may connect at once. */
const PLACES = 8;
const scene = await setWhatsAppScene({ outcomeMs: 1_000 });
const { peer, linked, finished } = scene;

/** Waits until an account has tried in vain so often. */
const inVain = (tries: () => number) => until(tries, (count) => count >= 3);

describe('an account whose connection', () => {
  test.each([401, 403, 502, 'silence'] as const)('is answered with %s connects again, with its link', async (answer) => {
    const { person, phone, groups } = await linked(1);
    let tries = 0;
    peer.script.refuseUpgrade = () => {
      tries += 1;
      return answer;
    };
    peer.cut(phone);
    await inVain(() => tries);
    expect(await statusOf(person)).toMatchObject({ status: 'reconnecting', reason: expect.stringContaining('broke') });
    const campaign = await sendCampaign(person, groups, `after ${answer}`);
    peer.behave();
    await statusWhen(person, 'connected');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, `after ${answer}`)).toEqual(allOnce(1));
  });

  test('is begun, and its login never answered, connects again', async () => {
    const { person, phone, companion } = await linked(0);
    peer.script.refuseLogin = 'silence';
    peer.cut(phone);
    await statusWhen(person, 'reconnecting');
    const before = peer.logins.length;
    await inVain(() => peer.logins.length - before);
    peer.behave();
    await statusWhen(person, 'connected');
    expect(companion.connection).toBeDefined();
  });
});

describe('as many accounts as may connect at once leave room for others', () => {
  /** Linked ones, which are not connected: the service is stopped. */
  async function stopWithMany() {
    const everybody = [];
    for (let index = 0; index <= PLACES; index++) everybody.push(await linked(0));
    await scene.stop();
    return everybody.map(({ companion }) => companion);
  }
  const connected = (companion: Companion | undefined) =>
    until(
      () => companion?.connection,
      (connection) => connection !== undefined,
    );

  test('when WhatsApp refuses to begin a connection with them', async () => {
    const companions = await stopWithMany();
    let tries = 0;
    peer.script.refuseUpgrade = () => (++tries <= PLACES ? 403 : undefined);
    await scene.start();
    for (const companion of companions) await connected(companion);
    expect(tries).toBeGreaterThan(PLACES);
  });

  test('when it does not answer their logins', async () => {
    const companions = await stopWithMany();
    peer.script.refuseLogin = 'silence';
    const before = peer.logins.length;
    await scene.start({ outcomeMs: 120_000, placeMs: 300 });
    await until(
      () => peer.logins.length,
      (count) => count >= before + PLACES,
    );
    peer.behave();
    const some = () => companions.find(({ connection }) => connection !== undefined);
    await until(some, (found) => found !== undefined);
    await scene.restart();
    for (const companion of companions) await connected(companion);
  });
});

test('an account can be linked after WhatsApp refused a connection to link it with', async () => {
  const { app } = scene;
  const phone = peer.addPerson('447700910001');
  const person = await app.signUp('refused', '+447700910001');
  peer.script.refuseUpgrade = () => 403;
  const refused = await person.call<Status>('venom/connect-account');
  expect(refused.status).toBe(503);
  expect(await statusOf(person)).toMatchObject({ status: 'unlinked', reason: expect.stringContaining('reached') });
  peer.behave();
  const { qr = '' } = (await person.call<Status>('venom/connect-account')).body.data;
  await peer.scan(phone, qr);
  await statusWhen(person, 'connected');
});
