/**
 * The cost of the first post to a large WhatsApp group, which sends a key to each member's phone, and the cost of a large picture to many
 * groups. A service in a separate process sends to the loopback peer. The peer's work is not measured, but takes a share of the machine.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../src/platform/time/time.ts';
import type { Service } from '../../test/support/service/service.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../whatsapp-peer/peer.ts';
import { drawNoise } from '../../test/support/inputs/pictures.ts';
import { child, elementsOf } from '../whatsapp-peer/stanza.ts';
import { addGroup, type Person } from '../whatsapp-peer/world.ts';
import { linkSender } from '../soak/whatsapp/senders.ts';
import { addMembers } from './support/add-members.ts';
import { listGroupIds, type Client } from './support/client.ts';
import { cpuMs } from './support/cpu.ts';
import { memoryMb } from './support/memory.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { count, median, type Row } from './support/table.ts';
import { until } from './support/until.ts';

/** The key goes to the phone of the account itself with every post, and to each device of a member with the first. */
const OWN_DEVICES = 1;
interface LargeGroup {
  /** With the sender. */
  size: number;
  devices: readonly number[];
}
/** WhatsApp's largest groups are about as large as the second; most members have more than a phone. */
const LARGE_GROUPS: readonly LargeGroup[] = [
  { size: 256, devices: [] },
  { size: 1_023, devices: [] },
  { size: 1_023, devices: [2] },
];
const SMALL_GROUPS: readonly LargeGroup[] = [
  { size: 4, devices: [] },
  { size: 4, devices: [2] },
];
/** From the request until the post is told as sent. */
const REACH_TOLD_MS = 20_000;
/** From here on a process turns heavy requests away. */
const REACH_LAG_MS = 200;
const WATCH = new URL('support/watch-loop.ts', import.meta.url);

/** What all parts share. */
interface Scene {
  service: Service;
  peer: WhatsAppPeer;
  client: Client;
  phone: Person;
  /** Before each post: what the preparation has left to do is not the post's. */
  restMs: number;
}

export async function benchWhatsApp({ pick, report }: Bench): Promise<void> {
  if (process.platform !== 'linux') return;
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'campanile-bench-'));
  undo.defer(() => rm(folder, { recursive: true }));
  const peer = await startWhatsAppPeer();
  undo.defer(() => peer.stop());
  const certificate = join(folder, 'media-host.pem');
  await writeFile(certificate, peer.certificate);
  const service = undo.use(
    await startBenchService({
      environment: { ...peer.environment, WHATSAPP_CA_FILE: certificate, NODE_OPTIONS: `--import ${WATCH.href}` },
    }),
  );
  const number = '4915123456789';
  const { client, companion } = await linkSender(service.url, peer, number);
  const scene: Scene = { service, peer, client, phone: companion.person, restMs: pick(3_000, 3_000, 0) };
  for (const group of pick(LARGE_GROUPS, LARGE_GROUPS, SMALL_GROUPS))
    await report(`posts to ${inWords(group)}`, () => postToGroups(scene, group, pick(3, 1, 1)));
  const picture = { edge: pick(EDGE, EDGE, 100), groups: pick(30, 30, 3) };
  await report('a picture to many groups', () => measurePicture(scene, picture));
}

const inWords = ({ size, devices }: LargeGroup) =>
  `${count(size)} members${devices.length > 0 ? ' with two devices each' : ''}`;

async function postToGroups(scene: Scene, { size, devices }: LargeGroup, rounds: number): Promise<Row[]> {
  const { peer, client, phone } = scene;
  const what = inWords({ size, devices });
  const first: Cost[] = [];
  const next: Cost[] = [];
  for (let round = 0; round < rounds; round++) {
    // Nobody in it has been written to before.
    const prefix = `1555${size}${devices.length}${round}`;
    const members = await addMembers(peer, size - 1, { prefix, devices });
    const group = addGroup(peer.world, phone, { subject: `Group of ${what} ${round}` }, members);
    await client.call('venom/sync-groups');
    const ids = await listGroupIds(client, { search: group.subject });
    const keyed = OWN_DEVICES + (size - 1) * (1 + devices.length);
    first.push(await post(scene, { ids, keyed }));
    next.push(await post(scene, { ids, keyed: OWN_DEVICES }));
    console.log(`  ${what}: first ${lastOf(first)}; next ${lastOf(next)}`);
  }
  return [toRow(`first post to ${what}`, first), toRow(`next post to ${what}`, next)];
}

/** Of noise, a picture of so many pixels is 10 MB. */
const EDGE = 1_826;
/** Limit for many uploads. The memory of earlier posts is still part of the peak, since V8 returns memory late. */
const REACH_PEAK_MB = 600;

/** A picture to many small groups: it is loaded, encrypted and uploaded once. */
async function measurePicture(scene: Scene, { edge, groups }: { edge: number; groups: number }): Promise<Row> {
  const { peer, client, phone } = scene;
  const members = [1, 2].map((index) => peer.addPerson(`1666000000${index}`));
  for (let index = 0; index < groups; index++) addGroup(peer.world, phone, { subject: `Picture ${index}` }, members);
  await client.call('venom/sync-groups');
  const ids = await listGroupIds(client, { search: 'Picture', limit: groups });
  const picture = await drawNoise(edge, edge);
  const uploadsBefore = peer.uploads.length;
  const cost = await post(scene, { ids, image: picture.toString('base64') });
  const uploads = peer.uploads.slice(uploadsBefore);
  return {
    what: `a picture of ${megabytes(picture.length)} to ${groups} groups`,
    ours: `${uploads.length} upload of ${megabytes(uploads[0]?.bytes.length ?? 0)}; ${describe(cost)}`,
    yardstick: 'the clock',
    value: cost.ms,
    reach: `1 upload, lag ≤ ${REACH_LAG_MS} ms, peak ≤ ${REACH_PEAK_MB} MB`,
    reached: uploads.length === 1 && cost.worstLagMs <= REACH_LAG_MS && cost.peakMb <= REACH_PEAK_MB,
  };
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

interface Cost {
  /** From the request until the whole post has reached the peer. */
  ms: number;
  /** From the request until it is told as sent. */
  toldMs: number;
  /** Of the service's process. */
  cpuMs: number;
  worstLagMs: number;
  peakMb: number;
}

async function post(
  { service, peer, client, restMs }: Scene,
  { ids, keyed, image = null }: { ids: readonly number[]; keyed?: number; image?: string | null },
): Promise<Cost> {
  await sleep(restMs);
  await worstLag(service);
  // From now on the peak is counted anew.
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  const cpuBefore = await cpuMs(service);
  const startedAt = performance.now();
  let ms = 0;
  let cpu = 0;
  let left = 0;
  let keys = 0;
  peer.script.judge = async ({ stanza }) => {
    keys = elementsOf(child(stanza, 'participants')).length;
    ms = performance.now() - startedAt;
    cpu = (await cpuMs(service)) - cpuBefore;
    left += 1;
    return 'accept' as const;
  };
  const campaign = { name: 'Fair', html: 'Hello', group_metadata_ids: ids, image };
  const { campaign_id } = await client.call<{ campaign_id: string }>('venom/add-campaign', campaign);
  await until('the post', () => left === ids.length);
  if (keyed !== undefined && keys !== keyed) throw new Error(`a key for ${keys} devices in place of ${keyed}`);
  const worstLagMs = await worstLag(service);
  await until('the word that it is sent', async () => {
    const path = 'analytics/get-campaign-group-analytics-master';
    return (await client.call<{ totals: { sent: number } }>(path, { campaign_id })).totals.sent === ids.length;
  });
  const toldMs = performance.now() - startedAt;
  return { ms, toldMs, cpuMs: cpu, worstLagMs, peakMb: await memoryMb(service, 'VmHWM') };
}

/** Since it was last asked. */
async function worstLag(service: Service): Promise<number> {
  const said = () => [...service.log().matchAll(/"event loop","worstMs":([\d.]+)/g)];
  const before = said().length;
  process.kill(service.pid, 'SIGUSR2');
  await until('the event loop', () => said().length > before);
  return Number(said().at(-1)?.[1]);
}

function toRow(what: string, costs: readonly Cost[]): Row {
  const worst = (of: keyof Cost) => Math.max(...costs.map((cost) => cost[of]));
  const middle = (of: keyof Cost) => median(costs.map((cost) => cost[of]));
  const [ms, toldMs, worstLagMs] = [middle('ms'), worst('toldMs'), worst('worstLagMs')];
  return {
    what,
    ours: describe({ ms, toldMs, cpuMs: middle('cpuMs'), worstLagMs, peakMb: worst('peakMb') }),
    yardstick: 'the clock',
    value: ms,
    reach: `told as sent within ${REACH_TOLD_MS / 1_000} s, lag ≤ ${REACH_LAG_MS} ms`,
    reached: worstLagMs <= REACH_LAG_MS && toldMs <= REACH_TOLD_MS,
  };
}

const lastOf = (costs: readonly Cost[]) => costs.slice(-1).map(describe).join('');

function describe({ ms, toldMs, cpuMs, worstLagMs, peakMb }: Cost): string {
  const cost = `${count(cpuMs)} ms of CPU, lag ${count(worstLagMs)} ms, peak ${peakMb} MB`;
  return `${count(ms)} ms, told as sent after ${count(toldMs)} ms; ${cost}`;
}
