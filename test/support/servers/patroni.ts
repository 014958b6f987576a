import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../../src/platform/time/time.ts';
import { PATIENCE_MS } from '../patience.ts';
import { findFreePort, NOBODY } from './pgbouncer.ts';
import { signal } from './signal.ts';

/**
 * Three PostgreSQL servers under Patroni, with etcd, and HAProxy in front that routes to the leader: configured as in `deploy/patroni.yml` and
 * `deploy/haproxy.cfg`, except for addresses and authentication.
 */
export interface Patroni {
  user: string;
  database: string;
  /** The address of HAProxy. */
  socket(): NetConnectOpts;
  /** Waits until there is a leader other than `not` with a synchronous replica. Resolves to the leader's name. */
  awaitLeader(not?: string): Promise<string>;
  /** Kills Patroni and the server of the leader, as a machine failure does. Resolves to its name. */
  killLeader(): Promise<string>;
  /** Starts a killed node again. */
  revive(name: string): void;
  stop(): Promise<void>;
}

const DEPLOY = join(import.meta.dirname, '../../../deploy');
const BINARIES = '/usr/lib/postgresql/15/bin';
const SUPERUSER = 'postgres';
const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;

/** Whether the Debian packages patroni, etcd-server, haproxy and postgresql-15 are installed. */
export const hasPatroni =
  existsSync(join(BINARIES, 'pg_rewind')) &&
  has('patroni', '--version') &&
  has('etcd', '--version') &&
  has('haproxy', '-v');

/**
 * Returns the section of the settings for etcd. Split brain: before 3.0.3 Patroni writes the leader key with version 3 of etcd's API,
 * whichever node holds it. A leader that was frozen beyond its TTL takes it from the new one, and confirmed commits are lost
 * (patroni/patroni#2689). With version 2 it compares the holder first.
 */
function sectionOfEtcd(): 'etcd' | 'etcd3' {
  const [, major = 0, minor = 0, patch = 0] =
    /(\d+)\.(\d+)\.(\d+)/.exec(spawnSync('patroni', ['--version'], { encoding: 'utf8' }).stdout)?.map(Number) ?? [];
  return major * 10_000 + minor * 100 + patch < 30_003 ? 'etcd' : 'etcd3';
}

interface Node {
  name: string;
  /** Of the server, and of its Patroni. */
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
  // Readable by others: the server refuses to run as root.
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
  for (const name of ['node1', 'node2', 'node3']) {
    nodes.push(await writeNode(folder, name, etcdPort));
  }
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
  const why = () => said.slice(-60).join('');
  const find = (name: string) => {
    const node = nodes.find((one) => one.name === name);
    if (!node) throw new Error(`there is no ${name}`);
    return node;
  };
  const patroni: Patroni = {
    user: SUPERUSER,
    database: 'postgres',
    socket: () => ({ host: '127.0.0.1', port }),
    awaitLeader: (not) => awaitLeader(nodes, not, why),
    async killLeader() {
      const name = await patroni.awaitLeader();
      await killNode(find(name));
      return name;
    },
    revive: (name) => start(find(name)),
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
    // Newer versions do not have this option.
    ...(sectionOfEtcd() === 'etcd' && { 'enable-v2': 'true' }),
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
    .replace('etcd3:', `${sectionOfEtcd()}:`)
    .replace('connect_address: 10.0.0.1:8008', `connect_address: 127.0.0.1:${restPort}`)
    .replace('connect_address: 10.0.0.1:5432', `connect_address: 127.0.0.1:${port}`)
    .replace('listen: 10.0.0.1:8008', `listen: 127.0.0.1:${restPort}`)
    .replace('listen: 10.0.0.1:5432', `listen: 127.0.0.1:${port}`)
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

function awaitLeader(nodes: readonly Node[], not: string | undefined, why: () => string): Promise<string> {
  // A faulty node may still claim to be the leader.
  const asked = nodes.filter(({ name }) => name !== not);
  return awaitMembers(asked, why, (members) => {
    const leader = findLeader(members);
    const hasReplica = members.some(({ role, name }) => role === 'sync_standby' && name !== not);
    return leader && hasReplica && leader.name !== not ? leader.name : undefined;
  });
}

const findLeader = (members: readonly Member[]) =>
  members.find(({ role, state }) => role === 'leader' && state === 'running');

/** Polls until one of the nodes reports the expected state. */
async function awaitMembers<Found>(
  nodes: readonly Node[],
  why: () => string,
  look: (members: readonly Member[]) => Found | undefined,
): Promise<Found> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    for (const node of nodes) {
      const found = look(await readMembers(node));
      if (found !== undefined) return found;
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
    // It has not started yet, or is faulty: another node answers.
    return [];
  }
}

async function kill(running: Map<string, ChildProcess>, name: string): Promise<void> {
  const child = running.get(name);
  if (!child || !isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

/** The server has a session of its own and survives its Patroni. */
function killServer(dataDir: string): void {
  const pid = postmasterOf(dataDir);
  if (pid === undefined) return;
  for (const one of [pid, ...childrenOf(pid)]) signal(one, 'SIGKILL');
}

/** Undefined if the server has ended: the pid file of a killed server may name another process by now. */
function postmasterOf(dataDir: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
    return readlinkSync(`/proc/${pid}/cwd`) === dataDir ? pid : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
