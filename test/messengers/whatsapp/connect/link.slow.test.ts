import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Person, type TestApp } from '../../../support/app.ts';
import { linkByQr, OWN_NUMBER, statusOf, statusWhen, towards, type Status } from '../../../support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import type { Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

let peer: WhatsAppPeer;
let app: TestApp;
let phone: PeerPerson;
let people = 0;
const signUp = () => app.signUp(`person${++people}`);
const codeOf = ({ body }: Answer<unknown>) => (body as { error_code?: string }).error_code;
const connect = (person: Person, body: object = {}) => person.call<Status>('venom/connect-account', body);

/** A user with a unique phone number: a pairing code is bound to the number. */
async function signUpAlone(): Promise<{ alice: Person; own: PeerPerson }> {
  const number = `4477009${10_000 + ++people}`;
  return { alice: await app.signUp(`person${people}`, `+${number}`), own: peer.addPerson(number) };
}

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  phone = peer.addPerson(OWN_NUMBER);
  app = await startTestApp(towards(peer));
});
afterEach(() => peer.behave());
afterAll(async () => {
  await app.stop();
  await peer.stop();
});

describe('an account on WhatsApp', () => {
  test('is unlinked at first, and is linked by a QR code', async () => {
    const alice = await signUp();
    expect(await statusOf(alice)).toEqual({
      account_id: expect.any(Number),
      is_default: true,
      messenger: 'whatsapp',
      status: 'unlinked',
      waits_for: { reason: 'not_linked', since: null, until: null },
      whatsapp_number: '+49 (151) 1234567',
      external_id: null,
      metadata: {},
    });
    expect((await alice.call('venom/create-group', { group_name: 'Club', participants: [] })).status).toBe(409);
    const { body } = await connect(alice);
    expect(Object.keys(body.data).toSorted()).toEqual(['account_id', 'expires_at', 'qr', 'status']);
    const shown = await statusOf(alice);
    expect(shown).toMatchObject(body.data);
    await peer.scan(phone, body.data.qr ?? '');
    const connected = await statusWhen(alice, 'connected');
    expect(Object.keys(connected).toSorted()).toEqual([
      'account_id',
      'external_id',
      'is_default',
      'messenger',
      'metadata',
      'status',
      'whatsapp_number',
    ]);
    expect((await connect(alice)).body.data).toMatchObject({ status: 'connected' });
  });

  test('is linked by a pairing code', async () => {
    const { alice, own } = await signUpAlone();
    const { body } = await connect(alice, { method: 'pairing_code' });
    expect(body.data).toMatchObject({ status: 'linking', pairing_code: expect.stringMatching(/^[1-9A-Z]{8}$/) });
    await peer.enter(own, body.data.pairing_code ?? '');
    await statusWhen(alice, 'connected');
  });

  test('shows the requested kind of code, and the same code for a repeated request', async () => {
    const { alice, own } = await signUpAlone();
    const first = await connect(alice);
    expect((await connect(alice)).body.data).toEqual(first.body.data);
    const other = await connect(alice, { method: 'pairing_code' });
    expect(other.body).toMatchObject({ data: { pairing_code: expect.any(String) } });
    expect(other.body.data.qr).toBeUndefined();
    await peer.enter(own, other.body.data.pairing_code ?? '');
    await statusWhen(alice, 'connected');
  });

  test('is not linked to another number than its own', async () => {
    const alice = await signUp();
    const { body } = await connect(alice);
    const stranger = peer.addPerson('447700900001');
    await expect(peer.scan(stranger, body.data.qr ?? '')).rejects.toThrow('hung up');
    const refused = await statusWhen(alice, 'unlinked');
    expect(refused.reason).toContain(OWN_NUMBER);
    expect(stranger.companions.size).toBe(0);
    await linkByQr(peer, alice, phone);
  });

  test('can be linked again after an unfinished attempt', async () => {
    const { alice, own } = await signUpAlone();
    const { body } = await connect(alice, { method: 'pairing_code' });
    expect(body.data.status).toBe('linking');
    expect((await alice.call('venom/disconnect-account')).body.data).toMatchObject({ status: 'unlinked' });
    expect((await statusOf(alice)).pairing_code).toBeUndefined();
    await linkByQr(peer, alice, own);
  });

  test('gets no pairing code for a number that another user has entered, until its phone has confirmed it', async () => {
    const { alice, own } = await signUpAlone();
    const mallory = await app.signUp(`mallory${people}`, `+${own.number}`);
    for (const person of [mallory, alice])
      expect((await connect(person, { method: 'pairing_code' })).body).toMatchObject({
        code: 409,
        message: expect.stringContaining('Scan the QR code'),
      });
    expect((await statusOf(mallory)).status).toBe('unlinked');
    await linkByQr(peer, alice, own);
    await alice.call('venom/disconnect-account');
    const { body } = await connect(alice, { method: 'pairing_code' });
    await peer.enter(own, body.data.pairing_code ?? '');
    await statusWhen(alice, 'connected');
  });

  test('gets at most three new pairing codes an hour', async () => {
    const { alice, own } = await signUpAlone();
    for (let code = 1; code <= 3; code++) {
      const first = await connect(alice, { method: 'pairing_code' });
      const again = await connect(alice, { method: 'pairing_code' });
      expect(again.body.data.pairing_code).toBe(first.body.data.pairing_code);
      await alice.call('venom/disconnect-account');
    }
    const fourth = await connect(alice, { method: 'pairing_code' });
    expect(fourth.status).toBe(429);
    expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(3_000);
    await linkByQr(peer, alice, own);
  });

  test('reports that WhatsApp cannot be reached', async () => {
    const alice = await signUp();
    peer.script.isReachable = false;
    const answer = await connect(alice);
    expect([answer.status, codeOf(answer)]).toEqual([503, 'messenger_unreachable']);
    expect(answer.headers.get('retry-after')).toBeTruthy();
    expect(await statusOf(alice)).toMatchObject({ status: 'unlinked', reason: expect.stringContaining('reached') });
    peer.behave();
    await linkByQr(peer, alice, phone);
  });

  test('reports that WhatsApp refuses to link', async () => {
    const alice = await signUp();
    peer.script.refuseLogin = 403;
    const answer = await connect(alice);
    expect([answer.status, codeOf(answer)]).toEqual([503, 'messenger_unavailable']);
    peer.behave();
    await linkByQr(peer, alice, phone);
  });

  test('is removed from the phone when it is disconnected', async () => {
    const alice = await signUp();
    const companion = await linkByQr(peer, alice, phone);
    const { body } = await alice.call('venom/disconnect-account');
    expect(body.data).toMatchObject({ status: 'unlinked' });
    expect(phone.companions.has(companion.device)).toBe(false);
    await linkByQr(peer, alice, phone);
  });

  test('can be disconnected while WhatsApp is down, and says what is left to do', async () => {
    const alice = await signUp();
    const companion = await linkByQr(peer, alice, phone);
    peer.script.isReachable = false;
    companion.connection?.cut();
    await statusWhen(alice, 'reconnecting');
    expect((await alice.call('venom/disconnect-account')).body.data).toMatchObject({ status: 'unlinked' });
    expect((await statusOf(alice)).reason).toContain('linked devices on your phone');
    expect(phone.companions.has(companion.device)).toBe(true);
    peer.behave();
    await linkByQr(peer, alice, phone);
    expect((await statusOf(alice)).reason).toBeUndefined();
  });

  test('keeps the invite links of its groups after another sync', async () => {
    const alice = await signUp();
    await linkByQr(peer, alice, phone);
    await alice.call('venom/create-group', { group_name: 'Linked', participants: [] });
    await alice.call('venom/sync-groups');
    const { groups } = (await alice.call<{ groups: object[] }>('venom/list-groups', { search: 'Linked' })).body.data;
    expect(groups).toEqual([expect.objectContaining({ invite_link: expect.stringContaining('https://') })]);
  });

  test('is removed from the phone when its user is deleted', async () => {
    const alice = await signUp();
    const companion = await linkByQr(peer, alice, phone);
    await alice.call('user/delete_account', { password: 'correct horse battery' });
    await expect.poll(() => phone.companions.has(companion.device)).toBe(false);
  });
});

describe('an account can change', () => {
  test('from WhatsApp to the sandbox and back', async () => {
    const alice = await signUp();
    await linkByQr(peer, alice, phone);
    expect((await connect(alice, { messenger: 'sandbox' })).status).toBe(409);
    await alice.call('venom/disconnect-account');
    expect((await connect(alice, { messenger: 'sandbox' })).body.data).toMatchObject({ status: 'connected' });
    const groups = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    expect(groups.body.data.groups).toHaveLength(3);
    const [group] = groups.body.data.groups;
    await alice.call('venom/add-campaign-batch', {
      name: 'Later',
      html: 'Hello',
      group_metadata_ids: [group?.group_metadata_id],
      is_schedule: true,
      start_date: '2032-06-01',
      end_date: '2032-06-01',
      schedule_time: '09:00:00',
    });
    const refused = await connect(alice, { messenger: 'whatsapp' });
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('Campaigns');
    expect(await statusOf(alice)).toMatchObject({ messenger: 'sandbox', status: 'connected' });
  });

  test('and is linked on the sandbox without a phone', async () => {
    const alice = await signUp();
    await connect(alice, { messenger: 'sandbox' });
    expect((await alice.call('venom/disconnect-account')).body.data).toMatchObject({ status: 'unlinked' });
    expect((await alice.call('venom/sync-groups')).status).toBe(409);
    expect((await connect(alice)).body.data).toMatchObject({ status: 'connected' });
    expect((await alice.call('venom/sync-groups')).status).toBe(200);
  });
});
