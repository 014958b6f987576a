import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { findPackage, prepareBinaries } from '../../../src/platform/database/embedded/binaries.ts';
import { chooseIdentity } from '../../../src/platform/database/embedded/run-as-user.ts';
import { superviseServer } from '../../../src/platform/database/embedded/restart.ts';
import { startServer, type Server } from '../../../src/platform/database/embedded/server.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import {
  ask,
  firstLine,
  isAlive,
  isLinux,
  read,
  seeded,
  spawnChild,
  start,
  startChild,
  temporaryFolder,
  useSeed,
  works,
  write,
} from '../../support/servers/embedded.ts';
import { serverPid } from '../../support/servers/own-postgres.ts';

const log = createLog('silent');
const hasSetpriv = isLinux && works('setpriv', '--pdeathsig', 'INT', '--', 'true');

useSeed();

test.runIf(hasSetpriv)('stops the server of a process that was killed', async () => {
  const dataDir = seeded();
  const child = await startChild(dataDir);
  const server = serverPid(dataDir);
  child.kill('SIGKILL');
  await expect.poll(() => isAlive(server)).toBe(false);
});

test('recovers every committed row after process and server were killed', async () => {
  const dataDir = seeded();
  const child = await startChild(dataDir);
  const address = { socketFolder: join(dataDir, 'socket'), port: 5432, user: 'campanile', database: 'postgres' };
  await write(address, 'committed before the crash');
  process.kill(serverPid(dataDir), 'SIGKILL');
  child.kill('SIGKILL');
  const next = await start({ dataDir });
  expect(await read(next.address)).toEqual(['a row of the first start', 'committed before the crash']);
});

test('reports a killed server, and recovers every committed row at the next start', async () => {
  const dataDir = seeded();
  const first = await start({ dataDir, restart: false });
  await write(first.address, 'committed before the crash');
  process.kill(serverPid(dataDir), 'SIGKILL');
  expect(await first.exited).toContain('ended by itself (SIGKILL)');
  await first.stop();
  const next = await start({ dataDir });
  expect(await read(next.address)).toEqual(['a row of the first start', 'committed before the crash']);
});

test('restarts a killed server at the same address with every committed row, each time', async () => {
  const dataDir = seeded();
  const postgres = await start({ dataDir });
  const rows = ['a row of the first start'];
  for (const row of ['one', 'two']) {
    await write(postgres.address, row);
    rows.push(row);
    const killed = serverPid(dataDir);
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => read(postgres.address).catch(() => 'away')).toEqual(rows);
    expect(serverPid(dataDir)).not.toBe(killed);
  }
  const last = serverPid(dataDir);
  await postgres.stop();
  expect(isAlive(last)).toBe(false);
});

test('leaves no server behind when it is stopped during a restart', async () => {
  const dataDir = seeded();
  const postgres = await start({ dataDir });
  process.kill(serverPid(dataDir), 'SIGKILL');
  await expect.poll(() => read(postgres.address).catch(() => 'away')).toBe('away');
  await postgres.stop();
  const next = await start({ dataDir });
  expect(await read(next.address)).toHaveLength(1);
});

test('reports a server that cannot be restarted after a few attempts', async () => {
  const gone: Server = {
    pid: 1,
    ranOutOfDisk: () => false,
    stop: () => Promise.resolve(),
    exited: Promise.resolve('it ended'),
  };
  let tries = 0;
  const kept = superviseServer(gone, () => Promise.reject(new Error(`no. ${++tries}`)), log, [0, 1, 1]);
  expect(await kept.exited).toBe('no. 3');
  await kept.stop();
});

test('stops an orphaned server', async () => {
  const dataDir = seeded();
  const { prefix, ...as } = await chooseIdentity(dataDir, join(dataDir, 'postgres'));
  const orphanIdentity = { ...as, prefix: hasSetpriv ? prefix.slice(0, -4) : prefix };
  const binaries = await prepareBinaries(findPackage(), orphanIdentity);
  const settings = { listen_addresses: '', unix_socket_directories: dataDir };
  const orphan = await startServer(
    { cluster: join(dataDir, 'postgres'), dataDir, settings, log },
    binaries,
    orphanIdentity,
  );
  const next = await start({ dataDir });
  expect(await orphan.exited).toContain('ended by itself (0)');
  expect(await read(next.address)).toHaveLength(1);
});

test('leaves a recorded pid alone that now belongs to another process', async () => {
  const dataDir = seeded();
  await writeFile(join(dataDir, 'postgres/postmaster.pid'), `${process.pid}\n`);
  const { address } = await start({ dataDir });
  expect(await read(address)).toHaveLength(1);
});

test.runIf(isLinux)('starts beside a dead server that is a zombie', async () => {
  const dataDir = seeded();
  // The shell starts a process and is replaced by one that never reaps it.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill());
  const pid = await firstLine(parent);
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  await writeFile(join(dataDir, 'postgres/postmaster.pid'), `${pid}\n`);
  const { address } = await start({ dataDir });
  expect(await read(address)).toHaveLength(1);
});

test('leaves nothing half-done of an interrupted first start', async () => {
  const dataDir = temporaryFolder();
  const child = spawnChild(dataDir);
  await expect
    .poll(() => readdirSync(dataDir).some((name) => name.startsWith('postgres.new-')), { interval: 5, timeout: 15_000 })
    .toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  const { address } = await start({ dataDir });
  expect(await ask(address, sql`select 1 as answer`)).toEqual([1]);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres'))).toEqual(['postgres', 'postgresql.conf']);
});
