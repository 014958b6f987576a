import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../src/lib/time.ts';
import { findFreePort, NOBODY } from './pgbouncer.ts';

/**
 * Three PostgreSQL under Patroni, with etcd, and HAProxy in front that leads to the leader: as `deploy/patroni.yml` and
 * `deploy/haproxy.cfg` set them up, but for addresses and whom they trust.
 */
export interface Patroni {
  user: string;
  database: string;
  /** Where HAProxy listens. */
  socket(): NetConnectOpts;
  /** Waits until there is a leader other than `not`, and a synchronous replica of it; the leader's name. */
  awaitLeader(not?: string): Promise<string>;
  /** Kills the leader at once, Patroni and server, as a machine that is gone; its name. */
  killLeader(): Promise<string>;
  /** Starts a node again that was killed. */
  revive(name: string): Promise<void>;
  /** The last lines of each, for whoever asks why. */
  log(): string;
  stop(): Promise<void>;
}

const DEPLOY = join(import.meta.dirname, '../../deploy');
const BINARIES = '/usr/lib/postgresql/15/bin';
const SUPERUSER = 'postgres';
const LONGEST_WAIT_MS = 120_000;
const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;

/** What `apt-get install patroni etcd-server haproxy postgresql-15` of Debian brings. */
export const hasPatroni =
  existsSync(join(BINARIES, 'pg_rewind')) &&
  has('patroni', '--version') &&
  has('etcd', '--version') &&
  has('haproxy', '-v');

interface Node {
  name: string;
  port: number;
  restPort: number;
  dataDir: string;
  configFile: string;
}

interface Member {
  name: string;
  role: string;
  state: string;
}

export async function startPatroni(): Promise<Patroni> {
  const undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'campanile-patroni-'));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // Others may enter: a server refuses to be root.
  await chmod(folder, 0o777);
  const said: string[] = [];
  const running = new Map<string, ChildProcess>();
  const run = (name: string, command: string, words: string[]) => {
    const environment = { PATH: process.env['PATH'], HOME: folder };
    const child = spawn(command, words, {
      ...NOBODY,
      env: environment,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => void said.push(`${name}: ${piece.toString()}`));
    running.set(name, child);
  };
  const etcdPort = await startEtcd(folder, run);
  undo.defer(() => kill(running, 'etcd'));
  const nodes: Node[] = [];
  for (const name of ['node1', 'node2', 'node3']) nodes.push(await writeNode(folder, name, etcdPort));
  const port = await writeProxy(folder, nodes);
  run('haproxy', 'haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db']);
  undo.defer(() => kill(running, 'haproxy'));
  const start = (node: Node) => run(node.name, 'patroni', [node.configFile]);
  const killNode = async (node: Node) => {
    await kill(running, node.name);
    killServer(node.dataDir);
  };
  for (const node of nodes) {
    start(node);
    undo.defer(() => killNode(node));
  }
  const find = (name: string) => {
    const node = nodes.find((one) => one.name === name);
    if (!node) throw new Error(`there is no ${name}`);
    return node;
  };
  const patroni: Patroni = {
    user: SUPERUSER,
    database: 'postgres',
    socket: () => ({ host: '127.0.0.1', port }),
    awaitLeader: (not) => awaitLeader(nodes, not, () => said.slice(-60).join('')),
    async killLeader() {
      const name = await patroni.awaitLeader();
      await killNode(find(name));
      return name;
    },
    async revive(name) {
      start(find(name));
    },
    log: () => said.join(''),
    stop: () => undo.disposeAsync(),
  };
  try {
    await patroni.awaitLeader();
    return patroni;
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

async function startEtcd(
  folder: string,
  run: (name: string, command: string, words: string[]) => void,
): Promise<number> {
  const port = await findFreePort();
  const clients = `http://127.0.0.1:${port}`;
  const peers = `http://127.0.0.1:${await findFreePort()}`;
  const settings = {
    'data-dir': join(folder, 'etcd'),
    name: 'etcd1',
    'initial-cluster': `etcd1=${peers}`,
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
  };
  run(
    'etcd',
    'etcd',
    Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  );
  return port;
}

async function writeNode(folder: string, name: string, etcdPort: number): Promise<Node> {
  const port = await findFreePort();
  const restPort = await findFreePort();
  const home = join(folder, name);
  await mkdir(home);
  await chmod(home, 0o777);
  const dataDir = join(home, 'data');
  const settings = (await readFile(join(DEPLOY, 'patroni.yml'), 'utf8'))
    .replace('name: node1', `name: ${name}`)
    .replaceAll('10.0.0.1:8008', `127.0.0.1:${restPort}`)
    .replaceAll('10.0.0.1:5432', `127.0.0.1:${port}`)
    .replace(/hosts: .*/, `hosts: 127.0.0.1:${etcdPort}`)
    .replace(/data_dir: .*/, `data_dir: ${dataDir}\n  parameters:\n    unix_socket_directories: ${home}`)
    .replace(/pg_hba:\n[^]*/, 'pg_hba:\n    - host all,replication all 127.0.0.1/32 trust\n');
  const configFile = join(home, 'patroni.yml');
  await writeFile(configFile, settings, { mode: 0o644 });
  return { name, port, restPort, dataDir, configFile };
}

async function writeProxy(folder: string, nodes: readonly Node[]): Promise<number> {
  const port = await findFreePort();
  let settings = (await readFile(join(DEPLOY, 'haproxy.cfg'), 'utf8')).replace('127.0.0.1:5000', `127.0.0.1:${port}`);
  for (const node of nodes)
    settings = settings.replace(
      new RegExp(`server ${node.name} .*`),
      `server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`,
    );
  await writeFile(join(folder, 'haproxy.cfg'), settings, { mode: 0o644 });
  return port;
}

async function awaitLeader(nodes: readonly Node[], not: string | undefined, why: () => string): Promise<string> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    for (const node of nodes) {
      const members = await readMembers(node);
      const leader = members.find(({ role, state }) => role === 'leader' && state === 'running');
      const hasReplica = members.some(({ role }) => role === 'sync_standby');
      if (leader && hasReplica && leader.name !== not) return leader.name;
    }
    if (performance.now() > deadline) throw new Error(`no leader was found: ${why()}`);
    await sleep(200);
  }
}

async function readMembers({ restPort }: Node): Promise<Member[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) });
    return ((await answer.json()) as { members: Member[] }).members;
  } catch {
    // It is not there yet, or was killed: another one knows.
    return [];
  }
}

async function kill(running: Map<string, ChildProcess>, name: string): Promise<void> {
  const child = running.get(name);
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The server is a process of its own session, which survives its Patroni. */
function killServer(dataDir: string): void {
  try {
    process.kill(Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')))
      throw error;
  }
}
