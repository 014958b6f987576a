/** The key of a workspace that message secrets derive from, and the numbers that have sent for it. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { giveUpSealed } from '../../../../src/cli/give-up-sealed.ts';
import {
  openMessageSecretKeys,
  resealMessageSecretKeys,
} from '../../../../src/messengers/whatsapp/connect/message-secret-keys.ts';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import { eraseNext } from '../../../../src/sending/erasure/erase-deleted-users.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createOwner } from '../../../support/ledger.ts';
import { countRemainingRows } from '../../../support/remaining-rows.ts';
import type { AccountId, WorkspaceId } from '../../../../src/platform/database/schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const KEY = Buffer.alloc(32, 1);
const vault = createVault({ key: KEY });
const open = (workspaceId: WorkspaceId | undefined, by = vault) => openMessageSecretKeys(database.db, by, workspaceId);
const newWorkspace = async () => (await createOwner(database.db, 0)).workspaceId;

const sealedOf = async (workspaceId: WorkspaceId) => {
  const { rows } = await sql<{ sealed: Buffer }>`
    select sealed from message_secret_keys where workspace_id = ${workspaceId}`.execute(database.db);
  return rows.map(({ sealed }) => sealed);
};

test('is one for each workspace, also for sessions that open at the same time, and is sealed', async () => {
  const [mine, theirs] = [await newWorkspace(), await newWorkspace()];
  const keys = await Promise.all(Array.from({ length: 8 }, async () => (await open(mine)).key.toString('hex')));
  expect(new Set([...keys, (await open(mine)).key.toString('hex')]).size).toBe(1);
  expect((await open(theirs)).key.toString('hex')).not.toBe(keys[0]);
  const [sealed] = await sealedOf(mine);
  expect(sealed?.toString('hex')).not.toContain(keys[0]);
  // A row cannot stand for that of another workspace.
  await sql`update message_secret_keys set sealed = ${sealed} where workspace_id = ${theirs}`.execute(database.db);
  await expect(open(theirs)).rejects.toThrow('unable to authenticate');
  await sql`delete from message_secret_keys where workspace_id = ${theirs}`.execute(database.db);
});

test('stays the same when the encryption key changes, and is given up with a lost one', async () => {
  const workspaceId = await newWorkspace();
  const { key } = await open(workspaceId);
  const newKey = Buffer.alloc(32, 2);
  const rotating = createVault({ key: newKey, previousKey: KEY });
  expect((await open(workspaceId, rotating)).key).toEqual(key);
  expect(await resealMessageSecretKeys(database.db, rotating)).toBeGreaterThan(0);
  expect(await resealMessageSecretKeys(database.db, rotating)).toBe(0);
  const after = createVault({ key: newKey });
  expect((await open(workspaceId, after)).key).toEqual(key);
  await database.db.transaction().execute((trx) => giveUpSealed(trx, after));
  expect((await open(workspaceId, after)).key).toEqual(key);
  const other = createVault({ key: Buffer.alloc(32, 3) });
  await database.db.transaction().execute((trx) => giveUpSealed(trx, other));
  expect(await sealedOf(workspaceId)).toEqual([]);
  expect((await open(workspaceId, other)).key).not.toEqual(key);
});

test('finds a number that has sent by either id, within its workspace, and what is learned later of it', async () => {
  const [mine, theirs] = [await newWorkspace(), await newWorkspace()];
  const [one, other] = [1 as AccountId, 2 as AccountId];
  const first = await open(mine);
  await first.recordAuthor(one, undefined);
  await first.recordAuthor(one, { id: '4915100000001:7@s.whatsapp.net' });
  expect(await first.findAuthor({ number: '4915100000001', lid: undefined })).toEqual({ number: '4915100000001' });
  await first.recordAuthor(one, { id: '4915100000001:7@s.whatsapp.net', lid: '77001:7@lid' });
  const second = await open(mine);
  await second.recordAuthor(one, { id: '4915100000001:8@s.whatsapp.net' });
  await second.recordAuthor(other, { id: '4915100000002:1@s.whatsapp.net', lid: '77002:1@lid' });
  const both = { number: '4915100000001', lid: '77001' };
  expect(await second.findAuthor({ number: '4915100000001', lid: undefined })).toEqual(both);
  expect(await second.findAuthor({ number: undefined, lid: '77001' })).toEqual(both);
  expect(await second.findAuthor({ number: undefined, lid: '77003' })).toBeUndefined();
  const others = await open(theirs);
  expect(await others.findAuthor(both)).toBeUndefined();
  expect([await second.findNumberOf(one), await second.findNumberOf(other)]).toEqual([
    both,
    { number: '4915100000002', lid: '77002' },
  ]);
  expect([await second.findNumberOf(3 as AccountId), await others.findNumberOf(one)]).toEqual([undefined, undefined]);
  // Its number was changed.
  await (await open(mine)).recordAuthor(one, { id: '4915100000003:1@s.whatsapp.net', lid: '77003:1@lid' });
  expect(await second.findNumberOf(one)).toEqual({ number: '4915100000003', lid: '77003' });
  expect(await second.findAuthor({ number: '4915100000001', lid: undefined })).toEqual(both);
});

test('goes with its workspace, and nothing is made for a removed account', async () => {
  const owner = await createOwner(database.db, 0);
  const { userId, workspaceId, accountId } = owner;
  await (await open(workspaceId)).recordAuthor(accountId, { id: '4915100000001:7@s.whatsapp.net', lid: '77001:7@lid' });
  const forgotten = await open(undefined);
  await forgotten.recordAuthor(accountId, { id: '4915100000001:7@s.whatsapp.net' });
  expect(await forgotten.findAuthor({ number: '4915100000001', lid: '77001' })).toBeUndefined();
  const left = () => countRemainingRows(database.db, owner);
  expect(await left()).toMatchObject({ message_secret_keys: 1, whatsapp_numbers: 1 });
  const deleted = { userId, workspaceIds: [workspaceId], accountIds: [accountId], isCold: false };
  while (await eraseNext(database.db, deleted)) expect(await left()).toBeTypeOf('object');
  expect(Object.keys(await left())).not.toContain('message_secret_keys');
  expect(Object.keys(await left())).not.toContain('whatsapp_numbers');
});
