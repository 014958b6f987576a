import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { execute } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeBackup } from '../../../src/operations/backup/make-backup.ts';
import { BASE_FILE, MAC_FILE, MANIFEST_FILE, SECRETS_FILE } from '../../../src/operations/backup/manifest.ts';
import { restoreBackup } from '../../../src/operations/backup/restore-backup.ts';
import { unpackBackup } from '../../../src/operations/backup/unpack-backup.ts';
import { verifyBackup, type Verified } from '../../../src/operations/backup/verify-backup.ts';
import { migrateDatabase } from '../../../src/platform/database/migrate-database.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { start } from '../../support/servers/embedded.ts';
import {
  changeCluster,
  craftTar,
  rebuildBackup,
  resumManifest,
  signManifest,
  type CraftedEntry,
} from '../../support/servers/hostile-backup.ts';

const PASSPHRASE = 'a passphrase that is long';
const log = createLog('silent');

let folder: string;
/** Two consecutive backups of one database. */
let older: string;
let newer: string;
/** A backup without a passphrase. */
let bare: string;
/** A backup with a schema that is newer than this version. */
let future: string;
let canary: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'campanile-tampered-'));
  [older, newer, bare, future] = ['older', 'newer', 'bare', 'future'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  canary = join(folder, 'canary');
  const dataDir = join(folder, 'data');
  const { address, stop } = await startEmbeddedPostgres({ dataDir, log, settings: { fsync: 'off' } });
  await migrateDatabase(address, log);
  const db = connectDatabase(address, { log, poolSize: 1 });
  const back = (file: string, passphrase?: string) =>
    makeBackup({ db, address, isEmbedded: true, dataDir, file, passphrase, version: '1' });
  await back(bare);
  await writeFile(join(dataDir, 'jwt-secret'), 'a secret of the installation');
  await back(older, PASSPHRASE);
  await back(newer, PASSPHRASE);
  await execute(db)`insert into migrations (number, name) values (999, '999-of-the-future.sql')`;
  await back(future, PASSPHRASE);
  await db.destroy();
  await stop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Adds a command to the cluster that a recovery from an archive would run. */
const plantCommand = (parts: string) =>
  changeCluster(parts, async (cluster) => {
    const setting = `restore_command = 'touch ${canary}; false'\n`;
    await appendFile(join(cluster, 'postgresql.auto.conf'), setting);
    await appendFile(join(cluster, 'postgresql.conf'), setting);
    await writeFile(join(cluster, 'recovery.signal'), '');
  });

async function rebuilt(change: (parts: string) => Promise<void>, from = newer): Promise<string> {
  const file = await mkdtemp(join(folder, 'rebuilt-'));
  await rebuildBackup(from, join(file, 'backup'), change);
  return join(file, 'backup');
}

/** Returns the message of a rejection, or the contents of the backup. */
async function verify(file: string, passphrase: string | undefined = PASSPHRASE): Promise<Verified | string> {
  return verifyBackup(file, { passphrase, log }).catch(sentence);
}

function sentence(error: unknown): string {
  if (error instanceof StartupError && !error.message.includes('\n')) return error.message;
  throw error;
}

async function emptyFolder(): Promise<string> {
  const target = await mkdtemp(join(folder, 'target-'));
  onTestFinished(() => rm(target, { recursive: true, force: true }));
  return target;
}

const restore = async (file: string, target: string, allowUnauthenticated = false) =>
  restoreBackup(file, target, { passphrase: PASSPHRASE, allowUnauthenticated }).catch(sentence);

test('authenticates an unaltered backup, also an older one in its place', async () => {
  for (const file of [older, newer]) expect(await verify(file)).toMatchObject({ isAuthenticated: true, users: 0 });
});

test('never runs a command in an altered backup, neither on verify, restore nor start', async () => {
  const file = await rebuilt(async (parts) => {
    await plantCommand(parts);
    await resumManifest(parts);
  });
  expect(await verify(file)).toContain('was altered after it was made');
  expect(await verifyBackup(file, { passphrase: undefined, log })).toMatchObject({ isAuthenticated: false });
  const target = await emptyFolder();
  expect(await restore(file, target)).toContain('was altered after it was made');
  expect(await restore(file, target, true)).toContain('was altered after it was made');
  expect(await readdir(target)).toEqual([]);
  const anonymous = await rebuilt(async (parts) => rm(join(parts, MAC_FILE)), file);
  expect(await verify(anonymous)).toMatchObject({ isAuthenticated: false });
  expect(await restore(anonymous, target)).toMatch(/has no authentication code.*--unauthenticated/);
  expect(await readdir(target)).toEqual([]);
  expect(await restore(anonymous, target, true)).toMatchObject({ isAuthenticated: false });
  await start({ dataDir: target });
  expect(existsSync(canary)).toBe(false);
});

test.for<[what: string, said: string, change: (parts: string) => Promise<void>]>([
  [
    'its manifest',
    'was altered after it was made',
    (parts) => resumManifest(parts, (manifest) => void (manifest.madeAt = '2030-01-01T00:00:00Z')),
  ],
  ['its database', `${BASE_FILE} does not match its manifest`, plantCommand],
  ['a byte of its database', `${BASE_FILE} does not match its manifest`, (parts) => flipByte(join(parts, BASE_FILE))],
  [
    'its database, truncated',
    `${BASE_FILE} does not match its manifest`,
    (parts) => truncate(join(parts, BASE_FILE), 1_000),
  ],
  ['its database, removed', `${BASE_FILE} is missing`, (parts) => rm(join(parts, BASE_FILE))],
  ['its secrets, removed', `${SECRETS_FILE} is missing`, (parts) => rm(join(parts, SECRETS_FILE))],
  [
    'a renamed file',
    'the entry secrets.txt is not part of a backup',
    (parts) => rename(join(parts, SECRETS_FILE), join(parts, 'secrets.txt')),
  ],
  ['an added file', 'the entry more is not part of a backup', (parts) => writeFile(join(parts, 'more'), 'of it')],
  [
    'an added dump',
    'its manifest does not name database.dump',
    (parts) => writeFile(join(parts, 'database.dump'), 'drop table users'),
  ],
  [
    'the database of another backup',
    `${BASE_FILE} does not match its manifest`,
    (parts) => takeFrom(older, BASE_FILE, parts),
  ],
  [
    'the secrets of another backup',
    `${SECRETS_FILE} does not match its manifest`,
    (parts) => takeFrom(older, SECRETS_FILE, parts),
  ],
  ['the manifest of another backup', 'was altered after it was made', (parts) => takeFrom(older, MANIFEST_FILE, parts)],
  [
    'the authentication code of another backup',
    'was altered after it was made',
    (parts) => takeFrom(older, MAC_FILE, parts),
  ],
  [
    'its authentication code, damaged',
    'its authentication code cannot be read',
    (parts) => writeFile(join(parts, MAC_FILE), 'none'),
  ],
])('rejects an altered backup with one sentence: %s', async ([, said, change]) => {
  const file = await rebuilt(change);
  const target = await emptyFolder();
  expect(await restore(file, target)).toContain(said);
  expect(await readdir(target)).toEqual([]);
});

async function flipByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

async function takeFrom(other: string, name: string, parts: string): Promise<void> {
  await rebuildBackup(other, `${parts}.other`, (otherParts) => copyFile(join(otherParts, name), join(parts, name)));
}

test('distinguishes a wrong passphrase from an altered backup, and rejects both', async () => {
  expect(await verify(newer, 'another one that is long')).toContain('was made with another passphrase');
  const target = await emptyFolder();
  const trust = { passphrase: 'another one that is long', allowUnauthenticated: true };
  expect(await restoreBackup(newer, target, trust).catch(sentence)).toContain('was made with another passphrase');
  expect(await readdir(target)).toEqual([]);
});

test('starts no backup without its passphrase, and restores it only with --unauthenticated', async () => {
  const found = await verifyBackup(newer, { passphrase: undefined, log });
  expect(found).toEqual({ isAuthenticated: false, manifest: expect.objectContaining({ version: '1' }) });
  const target = await emptyFolder();
  const trust = { passphrase: undefined, allowUnauthenticated: false };
  expect(await restoreBackup(newer, target, trust).catch(sentence)).toMatch(/--passphrase-file.*--unauthenticated/);
  await restoreBackup(newer, target, { ...trust, allowUnauthenticated: true });
  expect(await readdir(target)).toEqual(['hold', 'postgres']);
});

test('restores a backup without a passphrase only with --unauthenticated', async () => {
  expect(await verify(bare)).toMatchObject({ isAuthenticated: false });
  const target = await emptyFolder();
  expect(await restore(bare, target)).toContain('--unauthenticated');
  expect(await restore(bare, target, true)).toMatchObject({ isAuthenticated: false });
  await start({ dataDir: target });
});

test('restores a backup without authentication codes, and its secrets, only with --unauthenticated', async () => {
  const file = await rebuilt(async (parts) => {
    await rm(join(parts, MAC_FILE));
    await resumManifest(parts, (manifest) => delete manifest.unpackedBytes);
  });
  const target = await emptyFolder();
  expect(await restore(file, target)).toContain('by an earlier version');
  expect(await restore(file, target, true)).toMatchObject({ isAuthenticated: false });
  expect(await readFile(join(target, 'jwt-secret'), 'utf8')).toBe('a secret of the installation');
  await start({ dataDir: target });
});

test('does not verify a backup of a newer version', async () => {
  expect(await verify(future)).toMatch(
    /written by a newer version of Campanile \(schema 999, this version knows \d+\)/,
  );
});

/** A path out of the folder that is unpacked into, two levels below the target. */
const OUTSIDE = '../../escaped';
const PG_VERSION = { path: 'PG_VERSION', content: '18\n' };

test.for<[what: string, said: string, entries: CraftedEntry[]]>([
  ['an absolute path', 'leads out of the folder', [{ path: '/tmp/campanile-escaped' }]],
  ['a path traversal', 'leads out of the folder', [{ path: OUTSIDE }]],
  ['a path traversal from a subfolder', 'leads out of the folder', [{ path: `base/../../${OUTSIDE}` }]],
  ['a symbolic link', 'neither a file nor a folder', [{ path: 'base', type: 'SymbolicLink', linkpath: '../..' }]],
  ['a hard link', 'neither a file nor a folder', [PG_VERSION, { path: 'b', type: 'Link', linkpath: 'PG_VERSION' }]],
  ['a device', 'neither a file nor a folder', [{ path: 'null', type: 'CharacterDevice' }]],
  ['a pipe', 'neither a file nor a folder', [{ path: 'pipe', type: 'FIFO' }]],
  ['a sparse file', 'neither a file nor a folder', [{ ...PG_VERSION, typeByte: 'S' }]],
  ['a file twice', 'the entry PG_VERSION occurs twice', [PG_VERSION, PG_VERSION]],
  [
    'a file that is a folder, too',
    'the entry base occurs twice',
    [{ path: 'base/', type: 'Directory' }, { path: 'base' }],
  ],
])('unpacks nothing of an archive with %s, even if it is authentic', async ([, said, entries]) => {
  const file = await rebuilt(async (parts) => {
    const archive = craftTar(entries);
    await writeFile(join(parts, BASE_FILE), zstdCompressSync(archive));
    await resumManifest(parts, (manifest) => void (manifest.unpackedBytes = archive.length));
    await signManifest(parts, PASSPHRASE);
  });
  const target = await emptyFolder();
  const trust = { passphrase: PASSPHRASE, allowUnauthenticated: false };
  expect(await unpackBackup(file, target, trust).catch(sentence)).toContain(said);
  expect(await readdir(target)).toEqual([]);
  expect(existsSync('/tmp/campanile-escaped')).toBe(false);
});

test.for([
  ['more than its manifest says', 1_000_000],
  ['more than the disk has room for', undefined],
] as const)('decompression bomb: rejects an archive at once that unpacks to %s', async ([, unpackedBytes]) => {
  const claimed = 2 ** 43;
  const file = await rebuilt(async (parts) => {
    const header = craftTar([{ path: 'bomb', claims: claimed }]).subarray(0, 512);
    const archive = Buffer.concat([header, Buffer.alloc(32 * 1024 ** 2)]);
    await writeFile(join(parts, BASE_FILE), zstdCompressSync(archive));
    await resumManifest(parts, (manifest) => {
      delete manifest.unpackedBytes;
      if (unpackedBytes !== undefined) manifest.unpackedBytes = unpackedBytes;
    });
    await signManifest(parts, PASSPHRASE);
  });
  const target = await emptyFolder();
  expect(await restore(file, target)).toContain('it unpacks to more than');
  expect(await readdir(target)).toEqual([]);
});

test.for<[what: string, said: string, entries: (manifest: string) => CraftedEntry[]]>([
  [
    'two manifests',
    'manifest.json occurs twice',
    (content) => [
      { path: MANIFEST_FILE, content },
      { path: MANIFEST_FILE, content },
    ],
  ],
  [
    'a link for a manifest',
    'is not a file',
    () => [{ path: MANIFEST_FILE, type: 'SymbolicLink', linkpath: '/etc/passwd' }],
  ],
  [
    'a path traversal',
    'the entry ../more is not part of a backup',
    (content) => [{ path: MANIFEST_FILE, content }, { path: '../more' }],
  ],
  ['an unknown type', 'neither a file nor a folder', (content) => [{ path: MANIFEST_FILE, content, typeByte: 'S' }]],
  [
    'a manifest that is too long',
    'too long',
    () => [{ path: MANIFEST_FILE, content: Buffer.alloc(1024 ** 2 + 1, ' ') }],
  ],
  ['no manifest', 'no manifest', () => [{ path: SECRETS_FILE }]],
  ['no entries', 'cannot be read as a backup', () => []],
])('rejects a file with %s', async ([, said, entries]) => {
  let manifest = '';
  await rebuilt(async (parts) => void (manifest = await readFile(join(parts, MANIFEST_FILE), 'utf8')));
  const file = join(await emptyFolder(), 'backup');
  await writeFile(file, craftTar(entries(manifest)));
  expect(await verify(file)).toContain(said);
});
