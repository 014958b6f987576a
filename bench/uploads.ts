/**
 * Fifty uploads of 10 MB at once: how much memory the service takes at most, how long its event loop stands still, and how long a
 * small request waits meanwhile.
 *
 *   node bench/uploads.ts
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { PNG } from '../test/support/sample-files.ts';
import { removeService, startService } from '../test/support/service.ts';

const UPLOADS = 50;
const FILE_BYTES = 10_000_000;
const SAMPLE_MS = 50;
const MIB = 1024 * 1024;

export interface UploadsBench {
  uploads: number;
  /** How many of them were answered 200; the others were told to come back later. */
  accepted: number;
  seconds: number;
  idleMib: number;
  peakMib: number;
  worstLagMs: number;
  /** The longest that a small request took meanwhile. */
  worstSmallMs: number;
}

export async function benchUploads(): Promise<UploadsBench> {
  const service = await startService();
  try {
    const client = await signUp(service.url);
    await upload(client, 100_000);
    const { residentMib: idleMib } = await readMetrics(service.url);
    const watch = watchService(service.url);
    const start = performance.now();
    const statuses = await Promise.all(Array.from({ length: UPLOADS }, () => upload(client, FILE_BYTES)));
    const seconds = (performance.now() - start) / 1_000;
    const accepted = statuses.filter((status) => status === 200).length;
    return { uploads: UPLOADS, accepted, seconds, idleMib, ...(await watch.stop()) };
  } finally {
    await service.stop();
    await removeService(service);
  }
}

interface Client {
  url: string;
  token: string;
  group: number;
}

async function signUp(url: string): Promise<Client> {
  const [user_name, password] = ['bench', 'a long password'];
  const person = { first_name: 'B', last_name: '', phone_number: '+49151000000', whatsapp_number: '+49151000000' };
  await post(url, 'user/create_user', { ...person, user_name, password, email: 'bench@example.org' });
  const { token } = await post<{ token: string }>(url, 'user/authorize_user', { user_name, password });
  const { groups } = await post<{ groups: { group_metadata_id: number }[] }>(url, 'venom/list-groups', {}, token);
  return { url, token, group: groups[0]?.group_metadata_id ?? 0 };
}

async function post<Data>(url: string, path: string, body: unknown, token?: string): Promise<Data> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await response.json()) as { data: Data }).data;
}

const noise = randomBytes(3 * 2 ** 16).toString('base64');

/** Sends a campaign with a picture that nobody else has; in pieces, so that this process needs little memory itself. */
async function upload({ url, token, group }: Client, size: number): Promise<number> {
  const beginning = Buffer.concat([PNG, randomBytes(30 - (PNG.length % 3))]).toString('base64');
  const head = `{"name":"Bench","html":"x","group_metadata_ids":[${group}],"image":"${beginning}`;
  const pieces = Math.max(1, Math.round((size * 4) / 3 / noise.length));
  const sending = request(`${url}/api/v1/venom/add-campaign`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'content-length': head.length + pieces * noise.length + 2,
    },
  });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.write(head);
  for (let piece = 0; piece < pieces; piece++) if (!sending.write(noise)) await once(sending, 'drain');
  sending.end('"}');
  const [response] = await answered;
  await text(response);
  return response.statusCode ?? 0;
}

async function readMetrics(url: string): Promise<{ residentMib: number; lagMs: number }> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(page)?.[1]);
  return {
    residentMib: value('process_resident_memory_bytes') / MIB,
    lagMs: value('nodejs_eventloop_lag_max_seconds') * 1_000,
  };
}

/** Looks at the service again and again until it is stopped. */
function watchService(url: string) {
  const worst = { peakMib: 0, worstLagMs: 0, worstSmallMs: 0 };
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const start = performance.now();
      const { residentMib, lagMs } = await readMetrics(url);
      worst.worstSmallMs = Math.max(worst.worstSmallMs, performance.now() - start);
      worst.peakMib = Math.max(worst.peakMib, residentMib);
      worst.worstLagMs = Math.max(worst.worstLagMs, lagMs);
      await sleep(SAMPLE_MS);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
      return worst;
    },
  };
}

export function printUploadsBench(bench: UploadsBench): void {
  const { uploads, accepted, seconds, idleMib, peakMib, worstLagMs, worstSmallMs } = bench;
  console.log(`${uploads} uploads of ${FILE_BYTES / 1e6} MB at once: ${accepted} taken in ${seconds.toFixed(1)} s`);
  console.log(`  memory before ${idleMib.toFixed(0)} MiB, at most ${peakMib.toFixed(0)} MiB`);
  console.log(
    `  event loop at a standstill ${worstLagMs.toFixed(0)} ms at most, a small request ${worstSmallMs.toFixed(0)} ms`,
  );
}

if (import.meta.main) printUploadsBench(await benchUploads());
