import { mkdtempSync, rmSync, truncateSync, statSync, copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unlinkAccount } from '../../src/accounts/unlink-account.ts';
import type { Actor } from '../../src/audit/record-audit.ts';
import { exportWorkspace, findBelongings } from '../../src/cells/export-workspace.ts';
import { importWorkspace } from '../../src/cells/import-workspace.ts';
import { beginMove, takeBack, takeLane } from '../../src/cells/leave.ts';
import { numberCell, STRIDE } from '../../src/cells/number-cell.ts';
import { belongsTo, MOVES, STAYS, type Belongings } from '../../src/cells/what-moves.ts';
import type { Database } from '../../src/database/connect.ts';
import type { WorkspaceId } from '../../src/database/schema.ts';
import { hint } from '../../src/database/tell-hints.ts';
import { createVault } from '../../src/lib/vault.ts';
import { aboutOf } from '../../src/messenger/whatsapp/connect/key-table.ts';
import { aboutSecret } from '../../src/webhooks/webhook-store.ts';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../support/app.ts';
import { createBelongings } from '../support/http/belongings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createOwner, sendNow, startTestWorker, until, type Owner } from '../support/ledger.ts';
import { scriptMessenger } from '../support/scripted-messenger.ts';
import { actorOf } from '../support/workspaces.ts';
import { claimDue } from '../support/webhooks.ts';

const OF_ONE = { encryptionKey: Buffer.alloc(32, 1), jwtSecret: 'the secret that all apps of a test share' };
const OF_TWO = { encryptionKey: Buffer.alloc(32, 2), jwtSecret: 'the secret that all apps of a test share' };
const [vaultOfOne, vaultOfTwo] = [OF_ONE, OF_TWO].map(({ encryptionKey: key }) => createVault({ key }));
const PASSPHRASE = 'a passphrase that is long enough';
const address = 'command line';

const folder = mkdtempSync(join(tmpdir(), 'campanile-cells-'));
const file = join(folder, 'alice.workspace');
let one: TestApp;
let two: TestDatabase;
let alice: Person;
let bob: Person;
let apiKey: string;
let totp: TOTP;
let of: Belongings;

beforeAll(async () => {
  [one, two] = await Promise.all([startTestApp(OF_ONE), createTestDatabase()]);
  [alice, bob] = [await one.signUp('alice'), await one.signUp('bob')];
  const scopes = ['read', 'send'];
  apiKey = (await alice.call<{ key: string }>('user/create_api_key', { name: 'mine', scopes })).body.data.key;
  const { secret } = (await alice.call<{ secret: string }>('user/add_totp')).body.data;
  totp = new TOTP({ secret: Secret.fromBase32(secret) });
  await alice.call('user/confirm_totp', { code: totp.generate() });
  for (const person of [alice, bob]) {
    await sendToAll(person);
    await createBelongings(person, ['draft_id', 'webhook_id', 'group_list_id', 'sha256']);
  }
  of = await findBelongings(one.database.db, (await actorOf(one.database.db, alice)).workspaceId);
  await sql`
    insert into account_keys (account_id, kind, name, sealed)
    values (${of.accountId}, 'session', 'a', ${vaultOfOne?.seal(Buffer.from('of Signal'), aboutOf(of.accountId, 'session', 'a'))})`.execute(
    one.database.db,
  );
});
afterAll(async () => {
  await one.stop();
  await two.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves when all of it has left. */
async function sendToAll(person: Person): Promise<void> {
  const { groups } = (await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups')).body
    .data;
  const group_metadata_ids = groups.map((group) => group.group_metadata_id);
  const news = { name: 'News', html: 'Hello', group_metadata_ids };
  const { campaign_id } = (await person.call<{ campaign_id: string }>('venom/add-campaign', news)).body.data;
  await until(
    () => person.call<{ totals: { queued: number } }>('analytics/get-campaign-group-analytics-master', { campaign_id }),
    ({ body }) => body.data.totals.queued === 0,
  );
}

async function exportAs(db: Database, actor: Actor, into = file, toCell = 2) {
  const deps = { db, vault: vaultOfOne ?? createVault({ key: Buffer.alloc(32) }), settlingMs: 1_000 };
  return exportWorkspace(deps, { ...actor, userName: 'alice' }, { toCell, file: into, passphrase: PASSPHRASE });
}

function importInto(db: Database, from = file, passphrase = PASSPHRASE) {
  const vault = vaultOfTwo ?? createVault({ key: Buffer.alloc(32) });
  return importWorkspace({ db, vault }, { file: from, passphrase, address });
}

test('every table is moved, or is said to stay', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables 
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'test_clock' order by 1`.execute(
    one.database.db,
  );
  const said = [...MOVES.map(({ table }) => table), ...Object.keys(STAYS)].toSorted();
  expect(said).toEqual(rows.map(({ name }) => name).toSorted());
});

test('no row that moves refers to one that stays', async () => {
  const { rows } = await sql<{ from: string; to: string }>`
    select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint where contype = 'f'`.execute(
    one.database.db,
  );
  const order = new Map(MOVES.map(({ table }, index) => [table, index]));
  const broken = rows.filter(({ from, to }) => order.has(from) && (order.get(to) ?? Infinity) > (order.get(from) ?? 0));
  expect(rows.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test('from when it is exported its cell takes nothing for it, and says so', async () => {
  const { rows } = await exportAs(one.database.db, await actorOf(one.database.db, alice));
  expect(rows).toBeGreaterThan(20);
  for (const token of [alice.token, apiKey]) {
    const answer = await one.call('venom/list-groups', {}, token);
    expect([answer.status, answer.body.message]).toEqual([503, expect.stringContaining('moving to another server')]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const code = totp.generate({ timestamp: Date.now() + 30_000 });
  const signIn = await one.call('user/authorize_user', { user_name: 'alice', password: PASSWORD, code });
  expect([signIn.status, signIn.body]).toMatchObject([503, { error_code: 'workspace_moved' }]);
  expect((await bob.call('venom/list-groups')).status).toBe(200);
});

test('a cell takes what was exported for it, and nothing else', async () => {
  await expect(importInto(two.db)).rejects.toThrow('has no number: campanile cell 2');
  await numberCell(two.db, 3).catch(() => undefined);
  await expect(importInto(two.db)).rejects.toThrow('exported for cell 2, and this is cell 3');
  await sql`update ledger set cell = 2`.execute(two.db);
  await expect(importInto(two.db, file, 'another passphrase than that')).rejects.toThrow('another passphrase');
  const cut = join(folder, 'cut');
  copyFileSync(file, cut);
  truncateSync(cut, statSync(file).size - 30);
  await expect(importInto(two.db, cut)).rejects.toThrow('unexpected end of file');
  expect(await rowsOf(two.db, of)).toEqual({});
});

test('all rows arrive as they were', async () => {
  await sql`update ledger set cell = null`.execute(two.db);
  await numberCell(two.db, 2);
  const before = await rowsOf(one.database.db, of);
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['deliveries', 'receipts', 'media', 'drafts', 'webhooks', 'factors', 'events', 'notices']),
  );
  await importInto(two.db);
  expect(await rowsOf(two.db, of)).toEqual(before);
  const lanes = await sql`select from lanes where account_id = ${of.accountId}`.execute(two.db);
  expect(lanes.rows).toHaveLength(1);
});

test('a file is taken once', async () => {
  await expect(importInto(two.db)).rejects.toThrow('imported here before');
});

test('in the other cell it goes on: keys, codes and sums hold, and new ids follow those that came', async () => {
  const app = await startTestApp(OF_TWO, two);
  try {
    const listed = await app.call('venom/list-campaigns', {}, apiKey);
    expect(listed.status).toBe(200);
    expect((await app.call('venom/list-groups', {}, alice.token)).status).toBe(401);
    const code = totp.generate({ timestamp: Date.now() + 30_000 });
    const signIn = await app.call('user/authorize_user', { user_name: 'alice', password: PASSWORD, code });
    const { token } = signIn.body.data as unknown as { token: string };
    await sendToAll({ ...alice, call: ((path, body) => app.call(path, body, token)) as Person['call'] });
    const { rows } = await sql<{ id: number }>`
      select run_id as id from runs where account_id = ${of.accountId} order by run_id desc limit 1`.execute(two.db);
    const [newest] = rows;
    expect((newest?.id ?? 0) % STRIDE).toBe(2);
    expect(newest?.id).toBeGreaterThan(2 ** 40);
    const { rows: secrets } = await sql<{ id: string; secret: Buffer }>`
      select webhook_id as id, secret from webhooks`.execute(two.db);
    for (const { id, secret } of secrets) expect(vaultOfTwo?.open(secret, aboutSecret(id))).toBeInstanceOf(Buffer);
    const { rows: keys } = await sql<{ sealed: Buffer }>`select sealed from account_keys`.execute(two.db);
    const opened = keys.map(({ sealed }) => vaultOfTwo?.open(sealed, aboutOf(of.accountId, 'session', 'a')).toString());
    expect(opened).toEqual(['of Signal']);
  } finally {
    await app.stop();
  }
});

test('what is left behind can be deleted, and the other cell notices nothing', async () => {
  const before = await rowsOf(two.db, of);
  const { db } = one.database;
  await db.transaction().execute(async (trx) => {
    await unlinkAccount(trx, of.workspaceId);
    await sql`update users set deleted_at = campanile_now() where user_id = any(${of.userIds}::bigint[])`.execute(trx);
    await hint(trx, 'campanile_erasures');
  });
  // Else the messenger would unlink the device by which the other cell sends.
  expect((await sql`select from account_keys`.execute(db)).rows).toEqual([]);
  await until(
    () => rowsOf(one.database.db, of),
    (rows) => rows['deliveries'] === undefined && rows['campaigns'] === undefined,
  );
  expect(await rowsOf(two.db, of)).toEqual(before);
});

/** The rows of a workspace, by table, without what changes on the way. */
async function rowsOf(db: Database, belongings: Belongings): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const moved of MOVES) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - ${CHANGED[moved.table] ?? []}::text[])::text as row from ${sql.table(moved.table)} t
      where ${belongsTo(moved, belongings)} order by 1`.execute(db);
    const kept = rows.map(({ row }) => row).filter((row) => !row.includes('"workspace.imported"'));
    if (kept.length > 0) all[moved.table] = kept;
  }
  return all;
}

const CHANGED: Readonly<Record<string, string[]>> = {
  users: ['token_generation', 'is_admin', 'kept_token_id'],
  workspaces: ['moved_to'],
  runs: ['paused'],
  factors: ['secret'],
  account_keys: ['sealed'],
  // What is asked of the cell it has left is noted there, and what its members do in the sandbox.
  api_keys: ['last_used_at'],
  sandbox_messages: ['seen_until', 'next_doing_at'],
  webhooks: ['secret', 'former_secret'],
};

/** Owners who are written into the ledger, with a worker that sends for them. */
async function ownerIn(db: Database, groups: number): Promise<Owner & { of: Belongings }> {
  const owner = await createOwner(db, groups);
  return { ...owner, of: await findBelongings(db, owner.workspaceId as WorkspaceId) };
}

test('whatever ends a move in the middle, it goes on where it is begun again, and sends nothing meanwhile', async () => {
  const { db } = one.database;
  const owner = await ownerIn(db, 5);
  await beginMove(db, owner, owner.of, 2);
  await expect(sendNow(db, owner)).rejects.toThrow('no longer exists');
  await takeLane(db, owner.of);
  const again = join(folder, 'again');
  await exportAs(db, owner, again);
  await exportAs(db, owner, again);
  await importInto(two.db, again);
  const { rows } = await sql`select from lanes where account_id = ${owner.accountId}`.execute(db);
  expect(rows).toEqual([]);
});

test('a move that is taken back leaves everything as it was, a pause too', async () => {
  const database = await createTestDatabase();
  try {
    const { db } = database;
    const owner = await ownerIn(db, 5);
    await sendNow(db, owner);
    await sendNow(db, owner);
    await sql`update runs set paused = true where run_id = (select min(run_id) from runs)`.execute(db);
    const before = await rowsOf(db, owner.of);
    const paused = await sql`select run_id, paused from runs order by run_id`.execute(db);
    await exportAs(db, owner, join(folder, 'back'));
    await expect(exportAs(db, owner, join(folder, 'back'), 7)).rejects.toThrow('moved to cell 2');
    await takeBack(db, owner, owner.of);
    expect((await sql`select run_id, paused from runs order by run_id`.execute(db)).rows).toEqual(paused.rows);
    expect({ ...(await rowsOf(db, owner.of)), audit_log: [] }).toEqual({ ...before, audit_log: [] });
    const messenger = scriptMessenger();
    const worker = await startTestWorker(database, messenger);
    await until(
      () => messenger.arrivals.length,
      (sent) => sent > 0,
    );
    await worker.stop();
  } finally {
    await database.drop();
  }
});

test('its session is closed, and no webhook of it is told, while all others go on', async () => {
  const database = await createTestDatabase();
  const { db } = database;
  const [owner, other] = [await ownerIn(db, 1), await ownerIn(db, 1)];
  const messenger = scriptMessenger();
  const closed: number[] = [];
  const watched = {
    ...messenger,
    async open(...given: Parameters<typeof messenger.open>) {
      const session = await messenger.open(...given);
      const [{ accountId }] = given;
      return session && { ...session, close: () => Promise.resolve(void closed.push(accountId)) };
    },
  };
  const worker = await startTestWorker(database, watched);
  try {
    for (const one of [owner, other]) {
      await sendNow(db, one);
      await sql`
        insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
        values (gen_random_uuid(), ${one.workspaceId}, ${one.userId}, 'https://hooks.invalid/', '', '{campaign.completed}', 'v1', '', 0, 1)`.execute(
        db,
      );
    }
    await until(
      () => messenger.arrivals.length,
      (sent) => sent === 2,
    );
    await beginMove(db, owner, owner.of, 2);
    await until(
      () => closed,
      (accounts) => accounts.length > 0,
    );
    expect(closed).toEqual([owner.accountId]);
    expect((await claimDue(db)).map(({ workspaceId }) => workspaceId)).toEqual([other.workspaceId]);
  } finally {
    await worker.stop();
    await database.drop();
  }
});

test('two cells never give the same id, and accounts of each fall into all shards', async () => {
  const ids = async (db: Database) => {
    const owner = await ownerIn(db, 300);
    return owner.groupIds;
  };
  const three = await createTestDatabase();
  try {
    await numberCell(three.db, 3);
    await numberCell(three.db, 3);
    await expect(numberCell(three.db, 4)).rejects.toThrow('cell 3 already');
    const [ofTwo, ofThree] = [await ids(two.db), await ids(three.db)];
    expect(new Set([...ofTwo, ...ofThree]).size).toBe(600);
    expect(new Set(ofThree.map((id) => id % 256)).size).toBe(256);
  } finally {
    await three.drop();
  }
});
