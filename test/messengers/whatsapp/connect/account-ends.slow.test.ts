/** The ends of a connection to WhatsApp, and their consequences for the account. */
import { describe, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import {
  allOnce,
  linkByQr,
  sendCampaign,
  statusOf,
  statusWhen,
  stoodAs,
  timesShown,
} from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

const scene = await setWhatsAppScene();
const { peer, linked, finished } = scene;

describe('an account', () => {
  test('reports that it was unlinked on the phone, waits, and can be linked again', async () => {
    const { person, phone, groups } = await linked(1);
    peer.unlink(phone);
    expect((await statusWhen(person, 'logged_out')).reason).toContain('removed on the phone');
    const campaign = await sendCampaign(person, groups, 'linked again');
    expect((await person.call('venom/sync-groups')).status).toBe(409);
    await linkByQr(peer, person, phone);
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, 'linked again')).toEqual(allOnce(1));
  });

  test('is told as removed on the phone when WhatsApp says so without a code', async () => {
    const { person, phone } = await linked(0);
    peer.unlink(phone, false);
    expect((await statusWhen(person, 'logged_out')).reason).toContain('removed on the phone');
  });

  test('loses its link when WhatsApp ends it (516)', async () => {
    const { person, phone } = await linked(0);
    peer.end(phone, 516);
    expect((await statusWhen(person, 'logged_out')).reason).toContain('WhatsApp has ended the link');
  });

  test.each([400, 413, 414, 415, 418, 463, 501])('rests when WhatsApp refuses its login with %i', async (code) => {
    const { person, phone } = await linked(0);
    peer.script.refuseLogin = code;
    peer.cut(phone);
    const state = await until(
      () => statusOf(person),
      ({ reason }) => reason?.includes(`refuses the login (${code})`) ?? false,
    );
    expect(state.status).toBe('reconnecting');
  });

  test('reports a ban, and never connects again', async () => {
    const { person, phone } = await linked(0);
    peer.ban(phone);
    expect((await statusWhen(person, 'logged_out')).reason).toContain('banned');
    await scene.restart();
    expect(await statusOf(person)).toMatchObject({ status: 'logged_out', reason: expect.stringContaining('banned') });
    expect([...phone.companions.values()].every(({ connection }) => connection === undefined)).toBe(true);
  });

  test('reports a lock, and never connects again', async () => {
    const { person, phone } = await linked(0);
    peer.script.refuseLogin = 403;
    peer.cut(phone);
    expect((await statusWhen(person, 'logged_out')).reason).toContain('locked');
  });

  test('pauses when another program uses its link, and then tries again', async () => {
    const { person, phone, companion } = await linked(0);
    const { connection } = companion;
    peer.replace(phone);
    expect((await stoodAs(person, 'paused')).reason).toContain('somewhere else');
    await statusWhen(person, 'connected');
    expect(companion.connection).not.toBe(connection);
  });

  test.each([408, 428, 500, 503, 515])('reconnects by itself after code %i', async (code) => {
    const { person, phone, companion, groups } = await linked(1);
    const { connection } = companion;
    peer.end(phone, code);
    await until(
      () => companion.connection,
      (now) => now !== undefined && now !== connection,
    );
    const campaign = await sendCampaign(person, groups, `after ${code}`);
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1 });
  });

  test.each([405, 409])('says what to do when WhatsApp rejects the client (%i)', async (reason) => {
    const { person, phone } = await linked(0);
    peer.script.refuseLogin = reason;
    peer.cut(phone);
    const state = await until(
      () => statusOf(person),
      ({ reason }) => reason?.includes('updated') ?? false,
    );
    expect(state.status).toBe('reconnecting');
  });
});
