/** The signatures of WhatsApp's server and of the linked phone, and the result of invalid ones. */
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../../src/platform/database/connect.ts';
import { createLog } from '../../../../src/platform/log/log.ts';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import type { SessionState } from '../../../../src/messengers/messenger.ts';
import { createWhatsApp, type WhatsAppOptions } from '../../../../src/messengers/whatsapp/whatsapp.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createOwner, until } from '../../../support/ledger.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';

let peer: WhatsAppPeer;
let database: TestDatabase;
let people = 0;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
});
afterEach(() => peer.behave());
afterAll(async () => {
  await peer.stop();
  await database.drop();
});

/** Links an account. Resolves to its states, up to connected or unlinked. */
async function link(options: Partial<WhatsAppOptions>) {
  const alarms: string[] = [];
  const messenger = createWhatsApp({
    db: connectDatabase(database.address, { log: createLog('fatal') }),
    log: createLog('fatal'),
    vault: createVault({ key: Buffer.alloc(32, 1) }),
    url: peer.url,
    rootKey: undefined,
    onAlarm: (alarm) => alarms.push(alarm),
    ...options,
  });
  onTestFinished(() => messenger.close());
  const phoneNumber = `4477009300${String(++people).padStart(2, '0')}`;
  const phone = peer.addPerson(phoneNumber);
  const { accountId, workspaceId } = await createOwner(database.db, 0);
  let last: SessionState | undefined;
  const scans: Array<Promise<unknown>> = [];
  const linking = messenger.link({ accountId, workspaceId, phoneNumber }, 'qr', (state) => {
    last = state;
    if (state.status === 'linking') scans.push(peer.scan(phone, state.code ?? '').catch(() => undefined));
  });
  const session = await linking.catch(() => undefined);
  if (session) onTestFinished(() => session.close());
  const state = await until(
    () => last,
    (now) => now?.status === 'connected' || now?.status === 'unlinked',
  );
  await Promise.all(scans);
  const reason = state && 'reason' in state ? state.reason : undefined;
  return { status: state?.status, reason, alarms: new Set(alarms), devices: phone.companions.size };
}

const ownRoot = () => ({ rootKey: Buffer.from(peer.rootKey, 'hex') });

describe('a server', () => {
  test('is accepted with valid certificates', async () => {
    expect(await link(ownRoot())).toMatchObject({ status: 'connected', alarms: new Set(), devices: 1 });
  });

  test('is counted or rejected when WhatsApp has not signed its certificates', async () => {
    const alarms = new Set(['certificate']);
    expect(await link({})).toMatchObject({ status: 'connected', alarms, devices: 1 });
    expect(await link({ rejectsForgeries: true })).toMatchObject({ status: 'unlinked', alarms, devices: 0 });
  });

  test('is rejected with the certificates of another server (replay)', async () => {
    peer.script.showsOthersCertificate = true;
    const alarms = new Set(['certificate']);
    expect(await link(ownRoot())).toMatchObject({ status: 'unlinked', alarms, devices: 0 });
  });
});

test('counts or rejects a link that the phone has not signed', async () => {
  peer.script.forgesPairing = 'signature';
  const made = await link({});
  expect(made).toMatchObject({ status: 'connected', devices: 1 });
  expect(made.alarms).toContain('account_signature');
  const reason = expect.stringContaining('signature of the phone did not hold');
  const alarms = new Set(['account_signature']);
  expect(await link(ownRoot())).toMatchObject({ status: 'unlinked', reason, alarms, devices: 0 });
});

test('rejects a link that was not sealed with the secret of the code, as a signature that did not hold', async () => {
  peer.script.forgesPairing = 'hmac';
  const reason = expect.stringContaining('signature of the phone did not hold');
  const alarms = new Set(['account_signature']);
  expect(await link(ownRoot())).toMatchObject({ status: 'unlinked', reason, alarms, devices: 0 });
});
