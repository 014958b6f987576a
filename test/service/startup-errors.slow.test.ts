import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartupError } from '../../src/platform/errors/errors.ts';
import { answerWhileStarting } from '../../src/app/answer-while-starting.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { mayMount } from '../support/servers/own-disk.ts';

const DOOR = join(import.meta.dirname, '../../bin/campanile.mjs');
/** A user id without a name. */
const UNKNOWN_MEMBER = 65_532;
const isRoot = process.getuid?.() === 0;
const asStranger = isRoot ? { uid: UNKNOWN_MEMBER, gid: UNKNOWN_MEMBER } : {};
const strangerReachesUs =
  spawnSync(process.execPath, [DOOR, '--version'], { ...asStranger, env: {}, cwd: '/' }).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-refusals-'));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the error output of a failed start. */
function refusal(environment: Record<string, string>, options: { uid?: number; gid?: number; prefix?: string[] } = {}) {
  const { prefix = [], ...identity } = options;
  const [program = process.execPath, ...words] = [...prefix, process.execPath, DOOR];
  const dataDir = join(folder, 'data');
  const { status, stderr } = spawnSync(program, words, {
    ...identity,
    cwd: '/',
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    env: { PORT: '0', DATA_DIR: dataDir, STATE_DIR: join(folder, 'state'), LOG_LEVEL: 'fatal', ...environment },
  });
  expect(status).toBe(1);
  expect(existsSync(dataDir)).toBe(false);
  return stderr;
}

describe('rejects a start with one sentence, without touching anything:', () => {
  test.runIf(strangerReachesUs)('a privileged port', () => {
    expect(refusal({ PORT: '80' }, asStranger)).toBe(
      'Port 80 is for root alone, as all below 1024: set PORT to a higher one and put a proxy in front, or give the program CAP_NET_BIND_SERVICE\n',
    );
  });

  test('a port in use, and an address of another machine', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const start = (HOST: string, PORT: number) =>
      answerWhileStarting(readConfig({ HOST, PORT: String(PORT), STATE_DIR: folder }), createLog('silent'));
    await expect(start('127.0.0.1', port)).rejects.toThrow(
      new StartupError(`Port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT to another one`),
    );
    other.close();
    await expect(start('192.0.2.1', 0)).rejects.toThrow(
      new StartupError(
        '192.0.2.1 is no address of this machine: set HOST to one that is, or to 0.0.0.0 for all of them',
      ),
    );
  });

  test.runIf(mayMount)('a folder on a read-only file system', () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const script = `mount -t tmpfs -o ro tmpfs ${disk} && exec "$@"`;
    const prefix = ['unshare', '-m', 'sh', '-c', script, 'sh'];
    const dataDir = join(disk, 'data');
    expect(refusal({ DATA_DIR: dataDir }, { prefix })).toBe(
      `DATA_DIR (${dataDir}) is on a read-only file system: choose another DATA_DIR.\n`,
    );
  });

  test.runIf(isRoot && strangerReachesUs)('a world-writable folder of another user', () => {
    const dataDir = join(folder, 'loose');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o777);
    expect(refusal({ DATA_DIR: dataDir }, asStranger)).toBe(
      `DATA_DIR (${dataDir}) belongs to another user and is open to others (0777), who could read its secrets: ` +
        'run "chown" on it for the user Campanile runs as, or choose another DATA_DIR.\n',
    );
  });

  test.runIf(isRoot && strangerReachesUs)('a user without a name, which PostgreSQL rejects', () => {
    const dataDir = join(folder, 'own');
    mkdirSync(dataDir);
    chownSync(dataDir, UNKNOWN_MEMBER, UNKNOWN_MEMBER);
    expect(refusal({ DATA_DIR: dataDir }, asStranger)).toBe(
      `PostgreSQL needs a user with a name, and ${UNKNOWN_MEMBER} has none here: add a line for it to /etc/passwd, or set DATABASE_URL to a PostgreSQL server of your own.\n`,
    );
  });
});
