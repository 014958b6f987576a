/** Connections that WhatsApp neither opens nor rejects properly: they time out, and are made again. */
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { allOnce, sendCampaign, statusOf, statusWhen, timesShown, type Status } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import type { Companion } from '../../../../harness/whatsapp-peer/world.ts';

/** The number of accounts that may connect at once. */
const PLACES = 8;
const scene = await setWhatsAppScene();
const { peer, linked, finished } = scene;

const connected = (companion: Companion | undefined) =>
  until(
    () => companion?.connection,
    (connection) => connection !== undefined,
  );

describe('a connection', () => {
  test.each([401, 403, 502])('is made again with the same link after the answer %i', async (answer) => {
    const { person, phone, groups } = await linked(1);
    let tries = 0;
    peer.script.refuseUpgrade = () => {
      tries += 1;
      return answer;
    };
    peer.cut(phone);
    await until(
      () => tries,
      (count) => count >= 2,
    );
    expect(await statusOf(person)).toMatchObject({ status: 'reconnecting', reason: expect.stringContaining('broke') });
    const campaign = await sendCampaign(person, groups, `after ${answer}`);
    peer.behave();
    await statusWhen(person, 'connected');
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, `after ${answer}`)).toEqual(allOnce(1));
  });

  test.each(['request', 'login'])('times out and is made again when its %s is never answered', async (what) => {
    const { person, companion } = await linked(0);
    await scene.stop();
    let tries = 0;
    const count = () => (tries += 1);
    if (what === 'login') peer.script.ignoresLogin = () => count() > 0;
    else peer.script.refuseUpgrade = () => (count() > 0 ? 'silence' : undefined);
    await scene.start({ outcomeMs: 3_000 });
    await until(
      () => tries,
      () => tries >= 9,
    );
    expect((await statusOf(person)).status).toBe('reconnecting');
    peer.behave();
    await connected(companion);
  });
});

describe('accounts that cannot connect do not block others', () => {
  const companions: Companion[] = [];

  beforeAll(async () => {
    await scene.restart();
    for (let index = 0; index <= PLACES; index++) companions.push((await linked(0)).companion);
  });

  test('when WhatsApp rejects their connections', async () => {
    await scene.stop();
    let tries = 0;
    peer.script.refuseUpgrade = () => (++tries <= PLACES ? 403 : undefined);
    await scene.start();
    for (const companion of companions) await connected(companion);
    expect(tries).toBeGreaterThan(PLACES);
  });

  test('when WhatsApp does not answer their logins', async () => {
    await scene.stop();
    let tries = 0;
    peer.script.ignoresLogin = () => ++tries <= PLACES;
    await scene.start({ permitMs: 300 });
    await connected(await until(() => companions.find(({ connection }) => connection), Boolean));
    expect(tries).toBeGreaterThan(PLACES);
  });
});

test('links an account after WhatsApp rejected a first connection', async () => {
  await scene.restart();
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
