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
import { startProxy, type Proxy } from './proxy.ts';

/**
 * What is done to a leader: Patroni and every process of its server killed, or all of them stopped, or everything between that node and
 * the others, etcd and HAProxy carries nothing any more, without a word.
 */
export type LeaderHarm = 'killed' | 'frozen' | 'cut off';

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
  /** Does that to the leader; its name. */
  harmLeader(how: LeaderHarm): Promise<string>;
  /** Starts a node again that was killed, wakes one that is frozen, and puts one on its network again. */
  revive(name: string): Promise<void>;
  /** Waits until all three are there, the others on the leader's timeline. */
  awaitWhole(): Promise<void>;
  /** The last lines of each, for whoever asks why. */
  log(): string;
  stop(): Promise<void>;
}

const DEPLOY = join(import.meta.dirname, '../../../deploy');
const BINARIES = '/usr/lib/postgresql/15/bin';
const SUPERUSER = 'postgres';
const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;

/** What `apt-get install patroni etcd-server haproxy postgresql-15` of Debian brings. */
export const hasPatroni =
  existsSync(join(BINARIES, 'pg_rewind')) &&
  has('patroni', '--version') &&
  has('etcd', '--version') &&
  has('haproxy', '-v');

/**
 * The section of the settings for Patroni's access to etcd. Before 3.0.3 Patroni writes the leader key by etcd's v3 API without comparing
 * its owner: a leader that was frozen past its TTL takes the key from the new leader when it wakes, and loses all commits since
 * (patroni/patroni#2689). By the v2 API it compares.
 */
function sectionOfEtcd(): 'etcd' | 'etcd3' {
  const [, major = 0, minor = 0, patch = 0] =
    /(\d+)\.(\d+)\.(\d+)/.exec(spawnSync('patroni', ['--version'], { encoding: 'utf8' }).stdout)?.map(Number) ?? [];
  return major * 10_000 + minor * 100 + patch < 30_003 ? 'etcd' : 'etcd3';
}

interface Node {
  name: string;
  /** By which all others reach the server and its Patroni, and by which that reaches etcd. */
  server: Proxy;
  rest: Proxy;
  etcd: Proxy;
  dataDir: string;
  configFile: string;
}

interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
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
  for (const name of ['node1', 'node2', 'node3']) {
    const node = await writeNode(folder, name, etcdPort);
    for (const network of networksOf(node)) undo.defer(network.close);
    nodes.push(node);
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
    killLeader: () => patroni.harmLeader('killed'),
    async harmLeader(how) {
      const name = await patroni.awaitLeader();
      const node = find(name);
      if (how === 'killed') await killNode(node);
      else if (how === 'frozen') signalNode(node, running.get(name), 'SIGSTOP');
      else for (const network of networksOf(node)) network.stall();
      return name;
    },
    async revive(name) {
      const node = find(name);
      const child = running.get(name);
      for (const network of networksOf(node)) network.heal();
      if (child && isRunning(child)) signalNode(node, child, 'SIGCONT');
      else start(node);
    },
    awaitWhole: () => awaitWhole(nodes, why),
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
    // Newer ones do not know it.
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
  const [server, rest, etcd] = await Promise.all(
    [port, restPort, etcdPort].map((target) => startProxy(() => ({ host: '127.0.0.1', port: target }))),
  );
  if (!server || !rest || !etcd) throw new Error('a network is missing');
  const home = join(folder, name);
  await mkdir(home);
  await chmod(home, 0o777);
  const dataDir = join(home, 'data');
  const settings = (await readFile(join(DEPLOY, 'patroni.yml'), 'utf8'))
    .replace('name: node1', `name: ${name}`)
    .replace('etcd3:', `${sectionOfEtcd()}:`)
    .replace('connect_address: 10.0.0.1:8008', `connect_address: 127.0.0.1:${rest.port}`)
    .replace('connect_address: 10.0.0.1:5432', `connect_address: 127.0.0.1:${server.port}`)
    .replace('listen: 10.0.0.1:8008', `listen: 127.0.0.1:${restPort}`)
    .replace('listen: 10.0.0.1:5432', `listen: 127.0.0.1:${port}`)
    // Else it asks etcd for its own address, and goes there past the proxy.
    .replace(/hosts: .*/, `hosts: 127.0.0.1:${etcd.port}\n  use_proxies: true`)
    .replace(/data_dir: .*/, `data_dir: ${dataDir}\n  parameters:\n    unix_socket_directories: ${home}`)
    .replace(/pg_hba:\n[^]*/, 'pg_hba:\n    - host all,replication all 127.0.0.1/32 trust\n');
  const configFile = join(home, 'patroni.yml');
  await writeFile(configFile, settings, { mode: 0o644 });
  return { name, server, rest, etcd, dataDir, configFile };
}

const networksOf = ({ server, rest, etcd }: Node) => [server, rest, etcd];

async function writeProxy(folder: string, nodes: readonly Node[]): Promise<number> {
  const port = await findFreePort();
  let settings = (await readFile(join(DEPLOY, 'haproxy.cfg'), 'utf8')).replace('127.0.0.1:5000', `127.0.0.1:${port}`);
  for (const node of nodes)
    settings = settings.replace(
      new RegExp(`server ${node.name} .*`),
      `server ${node.name} 127.0.0.1:${node.server.port} check port ${node.rest.port}`,
    );
  await writeFile(join(folder, 'haproxy.cfg'), settings, { mode: 0o644 });
  return port;
}

function awaitLeader(nodes: readonly Node[], not: string | undefined, why: () => string): Promise<string> {
  // The harmed node may still claim to be the leader.
  const asked = nodes.filter(({ name }) => name !== not);
  return awaitMembers(asked, why, (members) => {
    const leader = findLeader(members);
    const hasReplica = members.some(({ role, name }) => role === 'sync_standby' && name !== not);
    return leader && hasReplica && leader.name !== not ? leader.name : undefined;
  });
}

async function awaitWhole(nodes: readonly Node[], why: () => string): Promise<void> {
  await awaitMembers(nodes, why, (members) => {
    const leader = findLeader(members);
    const follows = ({ name, state, timeline }: Member) =>
      name === leader?.name || (['running', 'streaming'].includes(state) && timeline === leader?.timeline);
    const isSafe = members.some(({ role }) => role === 'sync_standby');
    return (leader && isSafe && members.length === nodes.length && members.every(follows)) || undefined;
  });
}

const findLeader = (members: readonly Member[]) =>
  members.find(({ role, state }) => role === 'leader' && state === 'running');

/** Waits until one of the nodes reports the wanted state. */
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

async function readMembers({ rest }: Node): Promise<Member[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${rest.port}/cluster`, { signal: AbortSignal.timeout(2_000) });
    return ((await answer.json()) as { members: Member[] }).members;
  } catch {
    // It is not there yet, or was harmed: another one knows.
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

/** The server is a process of its own session, which survives its Patroni. */
function killServer(dataDir: string): void {
  const pid = postmasterOf(dataDir);
  if (pid === undefined) return;
  for (const one of [pid, ...childrenOf(pid)]) signal(one, 'SIGKILL');
}

/** Signals the processes that fork first, so that no child is missed. */
function signalNode({ dataDir }: Node, patroni: ChildProcess | undefined, name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of [patroni?.pid, postmasterOf(dataDir)]) {
    if (pid === undefined) continue;
    signal(pid, name);
    for (const child of childrenOf(pid)) signal(child, name);
  }
}

/** Undefined when the server has ended: after a kill, the process id in its file may belong to another process. */
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

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
