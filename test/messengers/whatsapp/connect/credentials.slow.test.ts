import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import { claimKeys, dropKeys, hasKeys, resealKeys } from '../../../../src/messengers/whatsapp/connect/key-table.ts';
import { startTestApp } from '../../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createOwner } from '../../../support/ledger.ts';
import { createGroups, finished, linkByQr, sendCampaign, statusWhen, towards } from '../../../support/whatsapp.ts';
import { startWhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import type { AccountId } from '../../../../src/platform/database/schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const KEY = Buffer.alloc(32, 1);
const vault = createVault({ key: KEY });
const newAccount = async () => (await createOwner(database.db, 0)).accountId;
const bytes = (text: string) => Buffer.from(text);

describe('a sealed value', () => {
  test('opens only with its key and its associated data', () => {
    const sealed = vault.seal(bytes('secret'), 'account 1');
    expect(vault.open(sealed, 'account 1').toString()).toBe('secret');
    expect(sealed.includes('secret')).toBe(false);
    expect(vault.seal(bytes('secret'), 'account 1').equals(sealed)).toBe(false);
    expect(() => vault.open(sealed, 'account 2')).toThrow('unable to authenticate');
    expect(() => createVault({ key: Buffer.alloc(32, 2) }).open(sealed, 'account 1')).toThrow('ENCRYPTION_KEY');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => vault.open(changed, 'account 1')).toThrow(/unable to authenticate|ENCRYPTION_KEY/);
    }
  });
});

describe('the credentials of an account', () => {
  test('are sealed, and read back unchanged', async () => {
    const accountId = await newAccount();
    const table = await claimKeys(database.db, vault, accountId);
    await table.write([
      { kind: 'session', name: 'a', value: bytes('the key of a') },
      { kind: 'session', name: 'b', value: bytes('the key of b') },
    ]);
    await table.write([{ kind: 'session', name: 'b', value: null }]);
    expect(await table.read('session', ['a', 'b', 'c'])).toEqual(new Map([['a', bytes('the key of a')]]));
    const { rows } = await sql<{ sealed: Buffer }>`
      select sealed from account_keys where account_id = ${accountId}`.execute(database.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed.includes('the key of')).toBe(false);
  });

  test('cannot be read as those of another account', async () => {
    const [mine, theirs] = [await newAccount(), await newAccount()];
    await (await claimKeys(database.db, vault, theirs)).write([{ kind: 'creds', name: '', value: bytes('theirs') }]);
    await sql`update account_keys set account_id = ${mine} where account_id = ${theirs}`.execute(database.db);
    await expect((await claimKeys(database.db, vault, mine)).read('creds', [''])).rejects.toThrow(
      'unable to authenticate',
    );
  });

  test('are changed atomically', async () => {
    const accountId = await newAccount();
    const table = await claimKeys(database.db, vault, accountId);
    await table.write([{ kind: 'session', name: 'a', value: bytes('before') }]);
    const broken = [
      { kind: 'session', name: 'a', value: bytes('after') },
      { kind: 'session', name: 'no\u0000name', value: bytes('after') },
    ];
    await expect(table.write(broken)).rejects.toThrow('invalid byte sequence');
    expect((await table.read('session', ['a'])).get('a')?.toString()).toBe('before');
  });

  test('are written only by the session that was opened last', async () => {
    const accountId = await newAccount();
    const first = await claimKeys(database.db, vault, accountId);
    const second = await claimKeys(database.db, vault, accountId);
    await second.write([{ kind: 'session', name: 'a', value: bytes('of the second') }]);
    await expect(first.write([{ kind: 'session', name: 'a', value: bytes('late') }])).rejects.toThrow('taken over');
    await expect(first.clear()).rejects.toThrow('taken over');
    expect((await first.read('session', ['a'])).get('a')?.toString()).toBe('of the second');
  });

  test('are resealed after a key rotation, and do not open with the old key', async () => {
    await sql`delete from account_keys`.execute(database.db);
    const accountId = await newAccount();
    const many = Array.from({ length: 1_200 }, (_, index) => ({
      kind: 'pre-key',
      name: String(index),
      value: bytes(`key ${index}`),
    }));
    await (await claimKeys(database.db, vault, accountId)).write(many);
    const newKey = Buffer.alloc(32, 9);
    const rotating = createVault({ key: newKey, previousKey: KEY });
    const during = await claimKeys(database.db, rotating, accountId);
    expect((await during.read('pre-key', ['7'])).get('7')?.toString()).toBe('key 7');
    let steps = 0;
    while ((await resealKeys(database, rotating)) > 0) steps += 1;
    expect(steps).toBe(3);
    const after = await claimKeys(database.db, createVault({ key: newKey }), accountId);
    expect((await after.read('pre-key', ['7', '1199'])).size).toBe(2);
    await expect((await claimKeys(database.db, vault, accountId)).read('pre-key', ['7'])).rejects.toThrow(
      'ENCRYPTION_KEY',
    );
  });

  test('are gone when they are deleted', async () => {
    const accountId = await newAccount();
    await (await claimKeys(database.db, vault, accountId)).write([{ kind: 'creds', name: '', value: bytes('x') }]);
    expect(await hasKeys(database.db, accountId)).toBe(true);
    await dropKeys(database.db, accountId);
    expect(await hasKeys(database.db, accountId)).toBe(false);
  });
});

describe('the log', () => {
  test('contains no key after linking, sending, retry receipts, broken connections and unlinking', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const peer = await startWhatsAppPeer();
    const here = await createTestDatabase();
    const app = await startTestApp(towards(peer), here, pino({ level: 'trace', base: null }, stream));
    const printed: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    const phone = peer.addPerson('447700900001');
    const members = [peer.addPerson('4915100000002', [5])];
    const alice = await app.signUp('alice', '+447700900001');
    process.stdout.write = ((chunk: string | Uint8Array) => {
      printed.push(String(chunk));
      return true;
    }) as typeof process.stdout.write;
    const secrets = new Set<string>();
    try {
      const companion = await linkByQr(peer, alice, phone);
      const groups = await createGroups(alice, 2, members);
      await finished(app, alice, await sendCampaign(alice, groups, 'for the log'));
      const [shown] = peer.arrivals;
      const device = members[0]?.devices[1];
      if (!shown || !device) throw new Error('nothing was shown');
      const posted = peer.received.length;
      await peer.askAgain(companion, { chatId: shown.chatId, messageId: shown.messageId, device });
      await expect.poll(() => peer.received.length).toBe(posted + 1);
      await peer.askAgain(companion, { chatId: shown.chatId, messageId: shown.messageId, device });
      await expect.poll(() => peer.received.length).toBe(posted + 2);
      peer.script.judge = () => 'cut after';
      const cut = await sendCampaign(alice, groups, 'cut for the log');
      await expect.poll(() => peer.received.length).toBeGreaterThan(posted + 2);
      peer.behave();
      await finished(app, alice, cut);
      for (const secret of await secretsIn(here)) secrets.add(secret);
      peer.unlink(phone);
      await statusWhen(alice, 'logged_out');
    } finally {
      process.stdout.write = write;
      await app.stop();
      await peer.stop();
      await here.drop();
    }
    expect(secrets.size).toBeGreaterThan(500);
    const text = [...lines, ...printed].join('\n');
    expect(text.length).toBeGreaterThan(1_000);
    expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).not.toMatch(/privKey|"private"|<Buffer|rootKey|chainKey/);
  });
});

/** Every stored key, in each encoding of keys: base64, hexadecimal, a list of numbers. */
async function secretsIn({ db }: TestDatabase): Promise<string[]> {
  const { rows } = await sql<{ account_id: AccountId; kind: string; name: string; sealed: Buffer }>`
    select * from account_keys where kind in ('creds', 'pre-key', 'session', 'sender-key')`.execute(db);
  const testVault = createVault({ key: Buffer.alloc(32, 7) });
  return rows.flatMap(({ account_id, kind, name, sealed }) => {
    const plain = testVault.open(sealed, `account ${account_id} ${kind} ${name}`).toString();
    const found = [...plain.matchAll(/"([A-Za-z0-9+/]{40,}={0,2})"/g)].flatMap(([, key]) => key ?? []);
    return found.flatMap((key) => {
      const raw = Buffer.from(key, 'base64');
      return [key, raw.toString('hex'), raw.toString('hex').toUpperCase(), [...raw.subarray(0, 16)].join(',')];
    });
  });
}
