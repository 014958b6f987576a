/** Codes that expire unused, and linking attempts whose connection breaks. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Person, type TestApp } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { linkByQr, OWN_NUMBER, statusOf, statusWhen, towards, type Status } from '../../../support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import type { Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

/** The time that a phone may need on a busy machine. */
const MANY_CODES = 200;
/** What account-status tells of an account whose code has expired. */
const WITHOUT_CODE = [
  'account_id',
  'external_id',
  'is_default',
  'messenger',
  'metadata',
  'reason',
  'reason_code',
  'status',
  'waits_for',
  'whatsapp_number',
];
let peer: WhatsAppPeer;
let app: TestApp;
let phone: PeerPerson;
let people = 0;
const signUp = () => app.signUp(`person${++people}`);
const connect = (person: Person, body: object = {}) => person.call<Status>('venom/connect-account', body);

/** A user with a unique phone number: a pairing code is bound to the number. */
async function signUpAlone(): Promise<{ alice: Person; own: PeerPerson }> {
  const number = `4477009${10_000 + ++people}`;
  return { alice: await app.signUp(`person${people}`, `+${number}`), own: peer.addPerson(number) };
}

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  phone = peer.addPerson(OWN_NUMBER);
  app = await startTestApp(towards(peer), undefined, undefined, { qrMs: 300 });
});
afterEach(() => peer.behave());
afterAll(async () => {
  await app.stop();
  await peer.stop();
});

describe('a QR code or a pairing code', () => {
  test('is replaced by a newer one when nobody scans it', async () => {
    peer.script.codes = MANY_CODES;
    const alice = await signUp();
    const shown = [(await connect(alice)).body.data];
    while (shown.length < 4) {
      const last = shown.at(-1)?.qr;
      shown.push(
        await until(
          () => statusOf(alice),
          ({ status, qr }) => status !== 'linking' || (qr !== undefined && qr !== last),
        ),
      );
    }
    expect(shown.map(({ status }) => status)).toEqual(Array(4).fill('linking'));
    expect(new Set(shown.map(({ qr }) => qr)).size).toBe(4);
    const ends = shown.map(({ expires_at }) => Date.parse(expires_at ?? ''));
    expect(ends).toEqual(ends.toSorted((one, other) => one - other));
    expect(new Set(ends).size).toBe(4);
    await peer.scan(phone, shown.at(-1)?.qr ?? '');
    await statusWhen(alice, 'connected');
  });

  test('is replaced by one with a new secret when WhatsApp withdraws the secret', async () => {
    peer.script.codes = MANY_CODES;
    peer.script.withdrawsSecrets = true;
    const alice = await signUp();
    const { qr = '' } = (await connect(alice)).body.data;
    const secretOf = (code: string) => code.split(',')[3];
    await expect(peer.scan(phone, qr)).rejects.toThrow('withdrawn');
    const renewed = await until(
      () => statusOf(alice),
      (shown) => shown.qr !== undefined && secretOf(shown.qr) !== secretOf(qr),
    );
    await peer.scan(phone, renewed.qr ?? '');
    await statusWhen(alice, 'connected');
  });

  test('expires with a reason when it was the last QR code, and the account can be linked at once', async () => {
    peer.script.codes = 2;
    const alice = await signUp();
    await connect(alice);
    const over = await statusWhen(alice, 'unlinked');
    expect(over.reason).toContain('No phone was linked in time');
    expect(Object.keys(over).toSorted()).toEqual(WITHOUT_CODE);
    peer.script.codes = MANY_CODES;
    await linkByQr(peer, alice, phone);
    expect((await statusOf(alice)).reason).toBeUndefined();
  });

  test.each([2, MANY_CODES])('expires when nobody enters the pairing code, beside %i QR codes', async (codes) => {
    peer.script.codes = codes;
    const { alice, own } = await signUpAlone();
    await connect(alice, { method: 'pairing_code' });
    const over = await statusWhen(alice, 'unlinked');
    expect(over.reason).toContain('No phone was linked in time');
    expect(Object.keys(over).toSorted()).toEqual(WITHOUT_CODE);
    peer.script.codes = MANY_CODES;
    await linkByQr(peer, alice, own);
    await expect(peer.enter(own, 'ABCD1234')).rejects.toThrow('nobody asked');
  });
});

test.each([
  [400, 'pairing_code_refused', 'check that it is right'],
  [429, 'pairing_code_limited', 'wait a few hours'],
])(
  'shows no pairing code when WhatsApp answers the request for one with %i, and says what to do',
  async (code, name, what) => {
    peer.script.codes = MANY_CODES;
    peer.script.refuseQuery = ({ namespace, action }) =>
      namespace === 'md' && action === 'link_code_companion_reg' ? code : undefined;
    const { alice, own } = await signUpAlone();
    const refused = await connect(alice, { method: 'pairing_code' });
    expect(refused).toMatchObject({ status: 409, body: { error_code: name, message: expect.stringContaining(what) } });
    expect(await statusOf(alice)).toMatchObject({ status: 'unlinked', reason: expect.stringContaining(what) });
    expect((await statusOf(alice)).pairing_code).toBeUndefined();
    peer.behave();
    await linkByQr(peer, alice, own);
  },
);

describe('linking whose connection breaks', () => {
  test.each([
    ['before it hears', 'unlinked'],
    ['before it signs', 'logged_out'],
  ] as const)('leaves an account that can be linked again: %s', async (cut, status) => {
    peer.script.codes = MANY_CODES;
    peer.script.cutPairing = cut;
    const alice = await signUp();
    const { qr = '' } = (await connect(alice)).body.data;
    await expect(peer.scan(phone, qr)).rejects.toThrow('broke');
    expect((await statusWhen(alice, status)).reason).toContain('again');
    peer.script.cutPairing = undefined;
    await linkByQr(peer, alice, phone);
  });

  test('is complete if it was confirmed before', async () => {
    peer.script.codes = MANY_CODES;
    peer.script.cutPairing = 'after it signs';
    const alice = await signUp();
    const { qr = '' } = (await connect(alice)).body.data;
    await expect(peer.scan(phone, qr)).rejects.toThrow('broke');
    await statusWhen(alice, 'connected');
  });
});
