import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, lchownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { findPackage, prepareBinaries } from '../../../src/platform/database/embedded/binaries.ts';
import {
  ask,
  copySeed,
  isAlive,
  isLinux,
  isRoot,
  NOBODY,
  read,
  refusal,
  seeded,
  start,
  temporaryFolder,
  useSeed,
  write,
} from '../../support/servers/embedded.ts';
import { serverPid } from '../../support/servers/own-postgres.ts';

useSeed();

describe('starting', () => {
  test('finds at the second start the rows written after the first', async () => {
    const dataDir = seeded();
    const first = await start({ dataDir });
    await write(first.address, 'and one of the second');
    await first.stop();
    const second = await start({ dataDir });
    expect(await read(second.address)).toEqual(['a row of the first start', 'and one of the second']);
  });

  test('restricts the folder to its owner, and opens no TCP port', async () => {
    const dataDir = seeded();
    chmodSync(dataDir, 0o755);
    const { address } = await start({ dataDir });
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    const socketFolder = 'socketFolder' in address ? address.socketFolder : '';
    expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
    expect(await ask(address, sql`select current_setting('listen_addresses') as answer`)).toEqual(['']);
  });

  test('uses one collation on every machine', async () => {
    const { address } = await start({ dataDir: seeded() });
    const provider = sql`select datlocprovider::text || ' ' || datlocale as answer from pg_database where datname = current_database()`;
    expect(await ask(address, provider)).toEqual(['b C.UTF-8']);
  });

  test('stops once, however often stop is called', async () => {
    const dataDir = seeded();
    const postgres = await start({ dataDir });
    const server = serverPid(dataDir);
    await Promise.all([postgres.stop(), postgres.stop()]);
    await postgres.stop();
    expect(isAlive(server)).toBe(false);
  });

  test('accepts blanks, commas, quotes and non-ASCII characters in a path', async () => {
    const dataDir = join(temporaryFolder(), `Bells, "great" & 'small' 鐘`);
    copySeed(dataDir);
    const postgres = await start({ dataDir });
    expect(await read(postgres.address)).toHaveLength(1);
    expect(postgres.address).toMatchObject({ socketFolder: join(dataDir, 'socket') });
  });

  test('moves the socket out of a path that is too long, and removes it in the end', async () => {
    const dataDir = join(
      temporaryFolder(),
      'a-folder-with-a-rather-long-name'.repeat(2),
      'and-another-one-inside'.repeat(3),
    );
    copySeed(dataDir);
    const postgres = await start({ dataDir });
    expect(await read(postgres.address)).toHaveLength(1);
    const socketFolder = 'socketFolder' in postgres.address ? postgres.address.socketFolder : '';
    expect(socketFolder).not.toContain(dataDir);
    await postgres.stop();
    expect(existsSync(socketFolder)).toBe(false);
  });
});

describe('programs', () => {
  test.runIf(process.platform !== 'win32')('are completed in an installation without install scripts', async () => {
    const copy = copyPackage();
    const list: Array<{ target: string }> = JSON.parse(readFileSync(join(copy, 'native/pg-symlinks.json'), 'utf8'));
    for (const { target } of list) rmSync(join(copy, target), { force: true });
    chmodSync(join(copy, 'native/bin/postgres'), 0o644);
    const binaries = await prepareBinaries(copy, { prefix: [] });
    expect(binaries.postgres).toBe(join(copy, 'native/bin/postgres'));
    expect(binaries.major).toMatch(/^\d\d$/);
    for (const { target } of list) expect(existsSync(join(copy, target))).toBe(true);
  });

  test.runIf(isRoot)('are copied once to a reachable folder for another user', async () => {
    const copy = copyPackage();
    chmodSync(copy, 0o700);
    const reachable = temporaryFolder();
    const identity = { prefix: [], as: { uid: NOBODY, gid: NOBODY } };
    const first = await prepareBinaries(copy, identity, [reachable]);
    expect(first.postgres.startsWith(reachable)).toBe(true);
    expect(await prepareBinaries(copy, identity, [reachable])).toEqual(first);
    expect(readdirSync(reachable)).toHaveLength(1);
    chmodSync(reachable, 0o777);
    await expect(prepareBinaries(copy, identity, [reachable])).rejects.toThrow('can be written by others');
  });
});

describe.runIf(isRoot && isLinux)('root without user namespaces', () => {
  const userNamespaces = false;

  test('runs the server under its own uid on the files in DATA_DIR, also at the next start', async () => {
    const dataDir = seeded();
    const first = await start({ dataDir, userNamespaces });
    expect(await read(first.address)).toHaveLength(1);
    const { uid, gid } = await stat(join(dataDir, 'postgres/base'));
    expect([0, NOBODY]).not.toContain(uid);
    expect(spawnSync('getent', ['passwd', String(uid)]).status).toBe(2);
    expect(await stat(dataDir)).toMatchObject({ uid: 0, gid });
    expect((await stat(`/proc/${serverPid(dataDir)}`)).uid).toBe(uid);
    await first.stop();
    const second = await start({ dataDir });
    expect(await read(second.address)).toHaveLength(1);
    expect((await stat(`/proc/${serverPid(dataDir)}`)).uid).toBe(uid);
  });

  test('creates the database of a first start for that uid, and leaves nothing else behind', async () => {
    const dataDir = temporaryFolder();
    const { address } = await start({ dataDir, userNamespaces });
    expect(await ask(address, sql`select 1 as answer`)).toEqual([1]);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres'))).toEqual(['postgres', 'postgresql.conf']);
    expect((await stat(join(dataDir, 'postgres/PG_VERSION'))).uid).toBe(
      (await stat(`/proc/${serverPid(dataDir)}`)).uid,
    );
  });

  test('changes the files of an earlier server from nobody to its own uid', async () => {
    const dataDir = seeded();
    for (const name of ['', ...readdirSync(join(dataDir, 'postgres'), { recursive: true })])
      lchownSync(join(dataDir, 'postgres', String(name)), NOBODY, NOBODY);
    const { address } = await start({ dataDir, userNamespaces });
    expect(await read(address)).toHaveLength(1);
    expect((await stat(`/proc/${serverPid(dataDir)}`)).uid).not.toBe(NOBODY);
  });

  test('rejects connections of the user nobody and of the uid of the server', async () => {
    const dataDir = seeded();
    const { address } = await start({ dataDir, userNamespaces });
    const socket = join('socketFolder' in address ? address.socketFolder : '', '.s.PGSQL.5432');
    const { uid, gid } = await stat(`/proc/${serverPid(dataDir)}`);
    expect(knock(socket, { uid: NOBODY, gid: NOBODY })).toBe('EACCES');
    expect(knock(socket, { uid, gid })).toContain('Peer authentication failed for user "campanile"');
    expect(knock(socket, { uid: 0, gid: 0 })).toMatch(/^R/);
  });

  test('names a folder that the server cannot enter', async () => {
    const parent = temporaryFolder();
    chmodSync(parent, 0o700);
    expect(await refusal({ dataDir: join(parent, 'data'), userNamespaces })).toMatch(
      new RegExp(`user 6\\d{4} may not enter ${RegExp.escape(parent)} on the way`),
    );
  });
});

/** Connects to the server as its superuser. Returns the first bytes of its answer, or the error code. */
function knock(socket: string, as: { uid: number; gid: number }): string {
  const words = Buffer.from('user\0campanile\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + words.length);
  head.writeInt32BE(3 << 16, 4);
  const script = `
    const socket = require('node:net').connect(${JSON.stringify(socket)});
    socket.once('connect', () => socket.write(Buffer.from('${Buffer.concat([head, words]).toString('hex')}', 'hex')));
    socket.once('data', (data) => { console.log(data.toString('latin1')); socket.destroy(); });
    socket.once('error', (error) => console.log(error.code));`;
  return spawnSync(process.execPath, ['-e', script], { ...as, cwd: '/', encoding: 'utf8' }).stdout.trim();
}

function copyPackage(): string {
  const folder = join(temporaryFolder(), basename(findPackage()));
  cpSync(findPackage(), folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}
