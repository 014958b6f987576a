/** The number of an account can change until a phone is linked, and the user can take over the number of a rejected phone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, PASSWORD, type Person, type TestApp } from '../../../support/app.ts';
import { linkByQr, statusOf, statusWhen, towards, type Status } from '../../../support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import type { Person as Phone } from '../../../../harness/whatsapp-peer/world.ts';

interface Profile {
  user_info: { user_name: string; phone_number: string; wharsapp_number: string };
}

let peer: WhatsAppPeer;
let app: TestApp;
let numbers = 0;
const newNumber = () => `4477009${String(++numbers).padStart(5, '0')}`;
const signUp = (number: string) => app.signUp(`person-of-${number}`, `+${number}`);
const change = (person: Person, whatsapp_number: string, others: object = {}) =>
  person.call<Profile>('user/update_profile', { whatsapp_number, ...others });
const isFixed = async (person: Person) =>
  (await person.call<{ number_fixed: boolean }>('venom/account-status', { with_history: true })).body.data.number_fixed;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  app = await startTestApp(towards(peer));
});
afterAll(async () => {
  await app.stop();
  await peer.stop();
});

/** Lets a phone with another number scan the code of that user. */
async function scanWith(phone: Phone, person: Person): Promise<Status & { scanned_number?: string }> {
  const { body } = await person.call<Status>('venom/connect-account', { messenger: 'whatsapp' });
  await expect(peer.scan(phone, body.data.qr ?? '')).rejects.toThrow('hung up');
  return statusWhen(person, 'unlinked');
}

test('changes a mistyped number, and links its phone', async () => {
  const [wrong, right] = [newNumber(), newNumber()];
  const alice = await signUp(wrong);
  expect(await isFixed(alice)).toBe(false);
  const { status, body } = await change(alice, `+44 ${right.slice(2)}`, { first_name: 'Alicia' });
  expect(status).toBe(200);
  expect(body.data.user_info).toMatchObject({
    wharsapp_number: `+44 ${right.slice(2)}`,
    phone_number: '+49 151 1234567',
  });
  await linkByQr(peer, alice, peer.addPerson(right));
  expect(await isFixed(alice)).toBe(true);
  expect(await app.signIn(alice.name)).toMatchObject({ userId: alice.userId });
  interface Log {
    entries: Array<{ action: string; subject: string }>;
  }
  const { entries } = (await alice.call<Log>('user/list_audit_log', { limit: 100 })).body.data;
  const told = entries.filter(({ action }) => action === 'account.number_changed');
  expect(told).toEqual([expect.objectContaining({ subject: `+44 ${right.slice(2)}` })]);
});

test('keeps the number once a phone was linked, also after it was unlinked, and accepts other spellings of it', async () => {
  const number = newNumber();
  const phone = peer.addPerson(number);
  const alice = await signUp(number);
  await linkByQr(peer, alice, phone);
  for (const path of ['venom/account-status', 'venom/disconnect-account']) {
    await alice.call(path);
    const { status, body } = await change(alice, `+${newNumber()}`, { first_name: 'Not this either' });
    expect([status, body.message]).toEqual([
      409,
      expect.stringContaining('has been linked with your number, so the number can no longer change'),
    ]);
  }
  const { body } = await change(alice, `00${number}`);
  expect(body.data.user_info).toMatchObject({ wharsapp_number: `00${number}`, first_name: alice.name });
  await linkByQr(peer, alice, phone);
});

test('keeps the number while a phone is being linked, and lets it change after that was cancelled', async () => {
  const [wrong, right] = [newNumber(), newNumber()];
  const alice = await signUp(wrong);
  await alice.call('venom/connect-account');
  expect((await change(alice, `+${right}`)).body.message).toContain('is being linked. Wait for the end');
  await alice.call('venom/disconnect-account');
  expect((await change(alice, `+${right}`)).status).toBe(200);
  await linkByQr(peer, alice, peer.addPerson(right));
});

test('lets the number change at any time on the sandbox', async () => {
  const alice = await signUp(newNumber());
  await alice.call('venom/connect-account', { messenger: 'sandbox' });
  expect((await change(alice, `+${newNumber()}`)).status).toBe(200);
  expect(await isFixed(alice)).toBe(false);
  expect((await change(alice, 'my phone')).body.details).toMatchObject([{ field: 'whatsapp_number' }]);
});

test('reports the number of a rejected phone, and lets the user take it over', async () => {
  const [own, other] = [newNumber(), newNumber()];
  const phone = peer.addPerson(other);
  const alice = await signUp(own);
  const refused = await scanWith(phone, alice);
  expect(refused).toMatchObject({ scanned_number: `+${other}`, whatsapp_number: `+${own}` });
  expect(refused.reason).toContain(other);
  expect((await change(alice, refused.scanned_number ?? '')).status).toBe(200);
  const free = await statusOf(alice);
  expect(free).toEqual({
    account_id: expect.any(Number),
    is_default: true,
    messenger: 'whatsapp',
    status: 'unlinked',
    waits_for: { reason: 'not_linked', since: null, until: null },
    whatsapp_number: `+${other}`,
    external_id: null,
    metadata: {},
  });
  await linkByQr(peer, alice, phone);
});

test('forgets a rejected phone when linking begins again', async () => {
  const alice = await signUp(newNumber());
  await scanWith(peer.addPerson(newNumber()), alice);
  const { body } = await alice.call<Status>('venom/connect-account');
  expect(body.data.status).toBe('linking');
  expect(await statusOf(alice)).not.toHaveProperty('scanned_number');
});

test('rejects a number that another user has linked, until they unlink it', async () => {
  const taken = newNumber();
  const phone = peer.addPerson(taken);
  const bob = await signUp(taken);
  await linkByQr(peer, bob, phone);
  const alice = await signUp(newNumber());
  expect(await scanWith(phone, alice)).not.toHaveProperty('scanned_number');
  const refused = await change(alice, `+${taken}`);
  expect([refused.status, refused.body.message]).toEqual([409, 'This number is linked to another account here']);
  await bob.call('venom/disconnect-account');
  expect(await scanWith(phone, alice)).toMatchObject({ scanned_number: `+${taken}` });
  expect((await change(alice, `+${taken}`)).status).toBe(200);
});

test('offers no other number to an account that was linked before', async () => {
  const own = newNumber();
  const alice = await signUp(own);
  await linkByQr(peer, alice, peer.addPerson(own));
  await alice.call('venom/disconnect-account');
  expect(await scanWith(peer.addPerson(newNumber()), alice)).not.toHaveProperty('scanned_number');
});

test('deletes a rejected phone’s number with its user', async () => {
  const alice = await signUp(newNumber());
  const other = newNumber();
  await scanWith(peer.addPerson(other), alice);
  await alice.call('user/delete_account', { password: PASSWORD });
  const { db } = app.database;
  const found = await db.selectFrom('accounts').select('account_id').where('scanned_number', '=', other).execute();
  expect(found).toEqual([]);
});

test('begins a warm-up on the day of the first link, and continues it after later ones', async () => {
  interface Rests {
    warm_up?: { day: number; ends_on: string };
  }
  const warmUp = async (person: Person) => (await person.call<Rests>('venom/update-account')).body.data.warm_up;
  const number = newNumber();
  const phone = peer.addPerson(number);
  const alice = await signUp(number);
  await app.database.clock.set('2031-03-01T12:00:00Z');
  await alice.call('venom/connect-account', { warm_up: true });
  await alice.call('venom/disconnect-account');
  await app.database.clock.set('2031-03-04T12:00:00Z');
  expect(await warmUp(alice)).toMatchObject({ day: 4 });
  await linkByQr(peer, alice, phone);
  expect(await warmUp(alice)).toMatchObject({ day: 1, ends_on: '2031-03-18' });
  await app.database.clock.set('2031-03-06T12:00:00Z');
  await alice.call('venom/disconnect-account');
  await linkByQr(peer, alice, phone);
  expect(await warmUp(alice)).toMatchObject({ day: 3 });
});
