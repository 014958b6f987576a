/** Numbers that WhatsApp links only after their passkey was shown on its own page, whose answer the user pastes. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { WhatsAppOptions } from '../../../../src/messengers/whatsapp/whatsapp.ts';
import { startTestApp, type Answer, type Person, type TestApp } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { linkByQr, statusOf, statusWhen, towards, type Status } from '../../../support/whatsapp.ts';
import { signChallenge, type Assertion } from '../../../../harness/whatsapp-peer/authenticator.ts';
import { isProof } from '../../../../harness/whatsapp-peer/passkey.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import type { Companion, Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

let peer: WhatsAppPeer;
let app: TestApp;
let people = 0;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  // The QR codes expire one right after the other: none may expire once the phone waits for the passkey.
  app = await startTestApp(towards(peer), undefined, undefined, { qrMs: 300 });
});
afterEach(() => peer.behave());
afterAll(async () => {
  await app.stop();
  await peer.stop();
});

interface Asked {
  alice: Person;
  own: PeerPerson;
  /** Resolves when the phone has linked the service. */
  linked: Promise<Companion>;
  status: Status;
}

/** A user whose phone has agreed, and waits for the passkey. */
async function askForPasskey(service = app, method: 'qr' | 'pairing_code' = 'qr'): Promise<Asked> {
  peer.script.codes = 200;
  peer.script.asksForPasskey = true;
  const number = `4477008${10_000 + ++people}`;
  const alice = await service.signUp(`person${people}`, `+${number}`);
  const own = peer.addPerson(number);
  const { qr = '', pairing_code: code = '' } = (await alice.call<Status>('venom/connect-account', { method })).body
    .data;
  const linked = method === 'qr' ? peer.scan(own, qr) : peer.enter(own, code);
  linked.catch(() => undefined);
  const status = await until(
    () => statusOf(alice),
    ({ passkey, status: now }) => passkey !== undefined || now !== 'linking',
  );
  return { alice, own, linked, status };
}

const optionsIn = ({ passkey }: Status) => passkey?.request_options ?? { challenge: '', rpId: '' };
const submit = (person: Person, assertion: unknown): Promise<Answer<Status>> =>
  person.call<Status>('venom/submit-passkey', { assertion });
const codeOf = ({ body }: Answer<unknown>) => (body as { error_code?: string }).error_code;

/** Waits for the characters to compare. */
const codeShown = (person: Person): Promise<Status> =>
  until(
    () => statusOf(person),
    ({ passkey, status }) => status !== 'linking' || typeof passkey?.verification_code === 'string',
  );

test.each(['qr', 'pairing_code'] as const)('links a number by its passkey (%s)', async (method) => {
  const { alice, own, linked, status } = await askForPasskey(app, method);
  expect(status).toMatchObject({ status: 'linking', passkey: { verification_code: null } });
  expect(optionsIn(status)).toMatchObject({ rpId: 'whatsapp.com', userVerification: 'required' });
  expect(status.qr ?? status.pairing_code).toBeUndefined();
  const leftMs = Date.parse(status.expires_at ?? '') - Date.now();
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(600_000);
  const answer = await submit(alice, signChallenge(own, optionsIn(status)));
  expect(answer).toMatchObject({ status: 200, body: { data: { passkey: { request_options: null } } } });
  const { passkey } = await codeShown(alice);
  expect(passkey?.verification_code).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/);
  await peer.compare(own, passkey?.verification_code ?? '');
  await linked;
  const connected = await statusWhen(alice, 'connected');
  expect(connected.passkey).toBeUndefined();
});

test('links a number by its passkey when the phone gives no key for the pairing code', async () => {
  peer.script.withholdsCodeKey = true;
  peer.script.passkeyProof = 'absent';
  const { alice, own, linked, status } = await askForPasskey(app, 'pairing_code');
  expect(status).toMatchObject({ status: 'linking', passkey: { verification_code: null } });
  expect((await submit(alice, signChallenge(own, optionsIn(status)))).status).toBe(200);
  const { passkey } = await codeShown(alice);
  await peer.compare(own, passkey?.verification_code ?? '');
  await linked;
  await statusWhen(alice, 'connected');
});

test('asks WhatsApp for the options of the passkey when its request has none', async () => {
  peer.script.withholdsPasskeyOptions = true;
  peer.script.phoneComparesCodes = false;
  const { alice, own, linked, status } = await askForPasskey();
  expect((await submit(alice, signChallenge(own, optionsIn(status)))).status).toBe(200);
  await linked;
  await statusWhen(alice, 'connected');
});

test('accepts an assertion when the one before was not for this request, or was rejected', async () => {
  peer.script.phoneComparesCodes = false;
  const { alice, own, linked, status } = await askForPasskey();
  const options = optionsIn(status);
  const right = signChallenge(own, options);
  for (const unreadable of [undefined, 'what was pasted', {}, { ...right, response: { clientDataJSON: '{' } }]) {
    const answer = await submit(alice, unreadable);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  }
  const old = signChallenge(own, { ...options, challenge: randomBytes(32).toString('base64url') });
  const stale = await submit(alice, old);
  expect([stale.status, codeOf(stale)]).toEqual([400, 'assertion_rejected']);
  // The same options are shown: WhatsApp has not seen an answer.
  expect(optionsIn(await statusOf(alice))).toEqual(options);

  const stranger = peer.addPerson('447700900999');
  const rejected = await submit(alice, signChallenge(stranger, options));
  expect([rejected.status, codeOf(rejected)]).toEqual([400, 'assertion_rejected']);
  const renewed = await statusOf(alice);
  expect(optionsIn(renewed).challenge).not.toBe(options.challenge);
  expect(renewed.status).toBe('linking');
  const again = await submit(alice, right);
  expect(codeOf(again)).toBe('assertion_rejected');

  expect((await submit(alice, signChallenge(own, optionsIn(renewed)))).status).toBe(200);
  await linked;
  await statusWhen(alice, 'connected');
});

test.each([
  ['another page', (own: PeerPerson, status: Status) => signChallenge(own, optionsIn(status), 'https://example.org')],
  [
    'a wrong signature',
    (own: PeerPerson, status: Status): Assertion => {
      const { response, ...rest } = signChallenge(own, optionsIn(status));
      return {
        ...rest,
        response: { ...response, signature: signChallenge(own, optionsIn(status), 'x').response.signature },
      };
    },
  ],
])('reports that WhatsApp rejected an assertion: %s', async (_, sign) => {
  const { alice, own, status } = await askForPasskey();
  const answer = await submit(alice, sign(own, status));
  expect([answer.status, codeOf(answer)]).toEqual([400, 'assertion_rejected']);
  await alice.call('venom/disconnect-account');
});

test('rejects an assertion while WhatsApp asks for no passkey', async () => {
  const alice = await app.signUp(`person${++people}`, `+4477008${10_000 + people}`);
  const some = signChallenge(peer.addPerson('447700900998'), { challenge: 'AAAA', rpId: 'whatsapp.com' });
  const unlinked = await submit(alice, some);
  expect([unlinked.status, codeOf(unlinked)]).toEqual([409, 'passkey_not_requested']);
  peer.script.codes = 200;
  await alice.call('venom/connect-account');
  const linking = await submit(alice, some);
  expect([linking.status, codeOf(linking)]).toEqual([409, 'passkey_not_requested']);
  await alice.call('venom/disconnect-account');
});

test('reports that WhatsApp takes no more answer after its own limit, and takes the next', async () => {
  peer.script.passkeyMs = -1;
  peer.script.phoneComparesCodes = false;
  const { alice, own, linked, status } = await askForPasskey();
  const late = await submit(alice, signChallenge(own, optionsIn(status)));
  expect([late.status, codeOf(late)]).toEqual([400, 'assertion_rejected']);
  peer.script.passkeyMs = 600_000;
  await submit(alice, signChallenge(own, optionsIn(await statusOf(alice))));
  await linked;
  await statusWhen(alice, 'connected');
});

describe('with short limits', () => {
  let hasty: TestApp | undefined;
  const start = async (timing: WhatsAppOptions['timing']) =>
    (hasty = await startTestApp(towards(peer), undefined, undefined, timing));
  afterEach(() => hasty?.stop());

  test('unlinks an account whose passkey nobody has shown in time, and links it again', async () => {
    const { alice, own } = await askForPasskey(await start({ passkeyMs: 500 }));
    const over = await statusWhen(alice, 'unlinked');
    expect(over.reason).toContain('The passkey was not shown in time');
    expect(over.passkey).toBeUndefined();
    const answer = await submit(alice, signChallenge(own, { challenge: 'AAAA', rpId: 'whatsapp.com' }));
    expect([answer.status, codeOf(answer)]).toEqual([409, 'passkey_not_requested']);
    peer.behave();
    await linkByQr(peer, alice, own);
  });

  test('unlinks an account when the phone does not continue', async () => {
    peer.script.losesPasskeyContinuation = true;
    const { alice, own, status } = await askForPasskey(await start({ phoneMs: 500 }));
    expect((await submit(alice, signChallenge(own, optionsIn(status)))).status).toBe(200);
    expect((await statusWhen(alice, 'unlinked')).reason).toContain('The phone did not finish the link');
  });

  test('leaves the proof out once it is too old, so that the characters are compared', async () => {
    peer.script.passkeyProof = 'absent';
    peer.script.phoneComparesCodes = false;
    const { alice, own, linked, status } = await askForPasskey(await start({ handoffMs: 0 }));
    expect((await submit(alice, signChallenge(own, optionsIn(status)))).status).toBe(200);
    await linked;
    await statusWhen(alice, 'connected');
  });
});

test('reports a connection that breaks while WhatsApp waits for the passkey', async () => {
  const { alice, own, status } = await askForPasskey();
  peer.cutLinking();
  expect((await statusWhen(alice, 'unlinked')).reason).toContain('broke');
  const answer = await submit(alice, signChallenge(own, optionsIn(status)));
  expect(codeOf(answer)).toBe('passkey_not_requested');
});

test('sends an assertion from one process to the session in another', async () => {
  const api = await startTestApp({ ...towards(peer), role: 'api' });
  const worker = await startTestApp({ ...towards(peer), role: 'worker' }, api.database);
  const { alice, own, linked, status } = await askForPasskey(api);
  expect((await submit(alice, signChallenge(own, optionsIn(status)))).status).toBe(200);
  await peer.compare(own, (await codeShown(alice)).passkey?.verification_code ?? '');
  await linked;
  await statusWhen(alice, 'connected');
  await worker.stop();
  await api.stop();
});

test('proves with its hand-off key alone that a prologue is from the device whose code was scanned', () => {
  const secret = randomBytes(32);
  const payload = randomBytes(80);
  expect(isProof(secret, payload, randomBytes(32), 'required')).toBe(false);
  expect(isProof(secret, payload, undefined, 'required')).toBe(false);
  expect(isProof(secret, payload, randomBytes(32), 'absent')).toBe(false);
});
