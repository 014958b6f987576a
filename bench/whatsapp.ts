/**
 * The cost of the first post to a large WhatsApp group, which sends a key to each member's phone, and the cost of a large picture to many
 * groups. A service in a separate process sends to the loopback peer. The peer's work is not measured, but takes a share of the machine.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../src/platform/time/time.ts';
import { removeService, startService, type Service } from '../test/support/service/service.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../test/whatsapp-peer/peer.ts';
import { drawNoise } from '../test/support/inputs/pictures.ts';
import { child, elementsOf } from '../test/whatsapp-peer/stanza.ts';
import { addGroup, type Person } from '../test/whatsapp-peer/world.ts';
import { signUp, type Client } from './support/client.ts';
import { cpuMs } from './support/cpu.ts';
import { memoryMb } from './support/memory.ts';
import { count, median, type Row } from './support/table.ts';
import { until } from './support/until.ts';

const NUMBER = '4915123456789';
/** With the sender. WhatsApp's largest groups are about as large as the second; most members have more than a phone. */
const LARGE_GROUPS: ReadonlyArray<{ size: number; devices: readonly number[]; what: string }> = [
  { size: 256, devices: [], what: '256 members' },
  { size: 1_023, devices: [], what: '1,023 members' },
  { size: 1_023, devices: [2], what: '1,023 members with two devices each' },
];
/** From the request until the post is told as sent. */
const REACH_TOLD_MS = 20_000;
/** From here on a process turns heavy requests away. */
const REACH_LAG_MS = 200;
const WATCH = new URL('support/watch-loop.ts', import.meta.url);

export async function benchWhatsApp({ quick }: { quick: boolean }): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const peer = await startWhatsAppPeer();
  const folder = await mkdtemp(join(tmpdir(), 'campanile-bench-'));
  const certificate = join(folder, 'media-host.pem');
  await writeFile(certificate, peer.certificate);
  const service = await startService({
    environment: { ...peer.environment, WHATSAPP_CA_FILE: certificate, NODE_OPTIONS: `--import ${WATCH.href}` },
  });
  try {
    return await measure(service, peer, quick ? 1 : 3);
  } finally {
    await service.stop();
    await removeService(service);
    await peer.stop();
    await rm(folder, { recursive: true });
  }
}

async function measure(service: Service, peer: WhatsAppPeer, rounds: number): Promise<Row[]> {
  const client = await signUp(service.url, 'sender');
  const phone = peer.addPerson(NUMBER);
  const { qr } = await client.call<{ qr: string }>('venom/connect-account');
  await peer.scan(phone, qr);
  await until('the account', async () => {
    const { status } = await client.call<{ status: string }>('venom/account-status');
    return status === 'connected';
  });
  const rows: Row[] = [];
  for (const { size, devices, what } of LARGE_GROUPS) {
    const first: Cost[] = [];
    const next: Cost[] = [];
    for (let round = 0; round < rounds; round++) {
      // Nobody in it has been written to before.
      const members: Person[] = [];
      while (members.length < size - 1) {
        const index = String(members.length).padStart(5, '0');
        members.push(peer.addPerson(`1555${size}${devices.length}${round}${index}`, devices));
        // It takes some milliseconds, and the peer has to be there meanwhile.
        await sleep(0);
      }
      // To read all this would be the work of a thousand phones, and here it would be this machine's.
      for (const member of members) member.isAway = true;
      const group = addGroup(peer.world, phone, { subject: `Group of ${what} ${round}` }, members);
      await client.call('venom/sync-groups');
      const { groups } = await client.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
        search: group.subject,
      });
      const ids = groups.map((one) => one.group_metadata_id);
      const keyed = 1 + (size - 1) * (1 + devices.length);
      first.push(await post(service, peer, client, { ids, keyed }));
      next.push(await post(service, peer, client, { ids, keyed: 0 }));
      console.log(`  ${what}: first ${lastOf(first)}; next ${lastOf(next)}`);
    }
    rows.push(toRow(`first post to ${what}`, first), toRow(`next post to ${what}`, next));
  }
  rows.push(await measurePicture(service, peer, client, phone));
  return rows;
}

const GROUPS = 30;
/** Of noise, a picture of so many pixels is 10 MB. */
const EDGE = 1_826;
/** Limit for many uploads. The memory of earlier posts is still part of the peak, since V8 returns memory late. */
const REACH_PEAK_MB = 600;

/** A picture to many small groups: it is loaded, encrypted and uploaded once. */
async function measurePicture(service: Service, peer: WhatsAppPeer, client: Client, phone: Person): Promise<Row> {
  const members = [1, 2].map((index) => peer.addPerson(`1666000000${index}`));
  const chats = Array.from({ length: GROUPS }, (_, index) =>
    addGroup(peer.world, phone, { subject: `Picture ${index}` }, members),
  );
  await client.call('venom/sync-groups');
  const listed = await client.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
    search: 'Picture',
    limit: GROUPS,
  });
  const picture = await drawNoise(EDGE, EDGE);
  const ids = listed.groups.map((one) => one.group_metadata_id);
  const uploadsBefore = peer.uploads.length;
  const cost = await post(service, peer, client, { ids, image: picture.toString('base64') });
  const uploads = peer.uploads.slice(uploadsBefore);
  const times = `${uploads.length} upload of ${megabytes(uploads[0]?.bytes.length ?? 0)}`;
  console.log(`  a picture of ${megabytes(picture.length)} to ${chats.length} groups: ${times}; ${inWords(cost)}`);
  return {
    what: `a picture of ${megabytes(picture.length)} to ${chats.length} groups`,
    ours: `${times}; ${inWords(cost)}`,
    yardstick: 'the clock',
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
  service: Service,
  peer: WhatsAppPeer,
  client: Client,
  { ids, keyed, image = null }: { ids: readonly number[]; keyed?: number; image?: string | null },
): Promise<Cost> {
  // What the preparation has left to do is not the post's.
  await sleep(3_000);
  await worstLag(service);
  // From now on the peak is counted anew.
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  const cpuBefore = await cpuMs(service);
  const startedAt = performance.now();
  let ms = 0;
  let cpu = 0;
  let left = 0;
  peer.script.judge = async ({ stanza }) => {
    const keys = elementsOf(child(stanza, 'participants')).length;
    if (keyed !== undefined && keys !== keyed) throw new Error(`a key for ${keys} devices in place of ${keyed}`);
    ms = performance.now() - startedAt;
    cpu = (await cpuMs(service)) - cpuBefore;
    left += 1;
    return 'accept' as const;
  };
  const campaign = { name: 'Fair', html: 'Hello', group_metadata_ids: ids, image };
  const { campaign_id } = await client.call<{ campaign_id: string }>('venom/add-campaign', campaign);
  await until('the post', () => left === ids.length);
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
  const lagMs = Math.max(...costs.map(({ worstLagMs }) => worstLagMs));
  const toldMs = Math.max(...costs.map((cost) => cost.toldMs));
  return {
    what,
    ours: inWords({
      ms: median(costs.map(({ ms }) => ms)),
      toldMs,
      cpuMs: median(costs.map(({ cpuMs }) => cpuMs)),
      worstLagMs: lagMs,
      peakMb: Math.max(...costs.map(({ peakMb }) => peakMb)),
    }),
    yardstick: 'the clock',
    reach: `told as sent within ${REACH_TOLD_MS / 1_000} s, lag ≤ ${REACH_LAG_MS} ms`,
    reached: lagMs <= REACH_LAG_MS && toldMs <= REACH_TOLD_MS,
  };
}

const lastOf = (costs: readonly Cost[]) => costs.slice(-1).map(inWords).join('');

function inWords({ ms, toldMs, cpuMs, worstLagMs, peakMb }: Cost): string {
  const cost = `${count(cpuMs)} ms of CPU, lag ${count(worstLagMs)} ms, peak ${peakMb} MB`;
  return `${count(ms)} ms, told as sent after ${count(toldMs)} ms; ${cost}`;
}
