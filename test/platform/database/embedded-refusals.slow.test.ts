import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPackage } from '../../../src/platform/database/embedded/binaries.ts';
import {
  copySeed,
  firstLine,
  isLinux,
  isRoot,
  NOBODY,
  read,
  refusal,
  seeded,
  spawnChild,
  start,
  startChild,
  temporaryFolder,
  useSeed,
  works,
} from '../../support/servers/embedded.ts';

const canMount = isRoot && isLinux && works('unshare', '--mount', '--', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt');

useSeed();

test('rejects a second process on the same folder, and the first goes on', async () => {
  const dataDir = seeded();
  const child = await startChild(dataDir);
  expect(await refusal({ dataDir })).toContain(`already running on DATA_DIR (${dataDir}), as process ${child.pid}:`);
  const address = { socketFolder: join(dataDir, 'socket'), port: 5432, user: 'campanile', database: 'postgres' };
  expect(await read(address)).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('accepts one of two processes that start at the same moment', async () => {
  const dataDir = seeded();
  const [first, second] = await Promise.allSettled([start({ dataDir }), start({ dataDir })]);
  expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
});

test('rejects a file in place of the folder', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  await writeFile(dataDir, '');
  expect(await refusal({ dataDir })).toContain('is not a folder');
  expect(await refusal({ dataDir: join(dataDir, 'below') })).toContain('is not a folder');
});

const node = process.execPath;
const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const nobodyReachesUs =
  spawnSync(node, ['-e', `require('fs').readFileSync(${JSON.stringify(import.meta.filename)})`], asNobody).status === 0;
test.runIf(process.platform !== 'win32' && nobodyReachesUs)('rejects a folder that is not writable', async () => {
  const dataDir = temporaryFolder();
  chmodSync(dataDir, 0o555);
  const child = spawnChild(dataDir, asNobody);
  expect(await firstLine(child)).toContain(
    `DATA_DIR (${dataDir}) cannot be read and written by the user Campanile runs as`,
  );
});

test.runIf(canMount)('rejects a disk without room for a new database', async () => {
  const dataDir = smallDisk(20);
  expect(await refusal({ dataDir })).toContain(`The disk that holds DATA_DIR (${dataDir}) is full`);
  expect(readdirSync(dataDir).filter((name) => /^postgres($|\.)/.test(name))).toEqual([]);
});

test.runIf(canMount)('rejects a disk that filled up', async () => {
  const dataDir = smallDisk(100);
  copySeed(dataDir);
  spawnSync('dd', ['if=/dev/zero', `of=${join(dataDir, 'ballast')}`, 'bs=64k'], { stdio: 'ignore' });
  expect(await refusal({ dataDir })).toContain(`The disk that holds DATA_DIR (${dataDir}) is full`);
  rmSync(join(dataDir, 'ballast'));
  const { address } = await start({ dataDir });
  expect(await read(address)).toHaveLength(1);
});

test('rejects a database of another PostgreSQL version', async () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n');
  expect(await refusal({ dataDir })).toContain('belongs to PostgreSQL 17');
});

test('rejects a folder that is no database', async () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres/notes.txt'), '');
  expect(await refusal({ dataDir })).toContain('is not a folder of PostgreSQL');
});

test('reports the message of a server that does not start', async () => {
  expect(await refusal({ dataDir: seeded(), settings: { shared_buffers: 'plenty' } })).toMatch(
    /shared_buffers.*"plenty"/,
  );
});

test('rejects a machine without the package', () => {
  const other = process.arch === 'arm64' ? 'x64' : 'arm64';
  expect(() => findPackage('linux', other)).toThrow('run "npm ci" without --omit=optional, or set DATABASE_URL');
  expect(() => findPackage('aix', 'ppc64')).toThrow('There is no embedded PostgreSQL for aix-ppc64: set DATABASE_URL');
});

function smallDisk(megabytes: number): string {
  const folder = temporaryFolder();
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
  onTestFinished(() => void spawnSync('umount', ['--lazy', folder]));
  return folder;
}
