/**
 * A thread that keeps requests of one person in flight: each connection sends its next request as soon as the last one is answered or
 * broken. It takes a `Flood` to begin with and `undefined` to stop, and then sends a `FloodResult`.
 */
import { Agent, request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { sleep } from '../../../src/platform/time/time.ts';

export interface Flood {
  url: string;
  /** Sent in turn. */
  requests: ReadonlyArray<{ headers: Readonly<Record<string, string>>; body: string | Uint8Array }>;
  inFlight: number;
  /** Slowloris: announces a body of 10,000 bytes and sends a byte of it a second. */
  isSlow: boolean;
}

export interface FloodResult {
  /** Numbers of answers by their status; `broken` are connections that ended without an answer. */
  statuses: Readonly<Record<string, number>>;
  largestAnswerBytes: number;
}

const SLOW_BYTES = 10_000;
const BYTE_EVERY_MS = 1_000;
/** A connection that is refused is not made again at once. */
const PAUSE_MS = 20;

let stop: () => Promise<FloodResult> = async () => ({ statuses: {}, largestAnswerBytes: 0 });

parentPort?.on('message', (flood: Flood | undefined) => {
  if (flood) stop = startFlood(flood);
  else void stop().then((result) => parentPort?.postMessage(result));
});

function startFlood({ url, requests, inFlight, isSlow }: Flood): () => Promise<FloodResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const over = new AbortController();
  const statuses: Record<string, number> = {};
  let largestAnswerBytes = 0;
  const loops = Array.from({ length: inFlight }, async (_, first) => {
    for (let turn = first; !over.signal.aborted; turn++) {
      const next = requests[turn % requests.length];
      if (!next) throw new Error('a flood needs a request');
      const { status, bytes } = await send(url, agent, next, isSlow);
      if (over.signal.aborted) return;
      statuses[status] = (statuses[status] ?? 0) + 1;
      largestAnswerBytes = Math.max(largestAnswerBytes, bytes);
      if (status === 'broken') await sleep(PAUSE_MS);
    }
  });
  return async () => {
    over.abort();
    agent.destroy();
    await Promise.all(loops);
    return { statuses, largestAnswerBytes };
  };
}

function send(url: string, agent: Agent, { headers, body }: Flood['requests'][number], isSlow: boolean) {
  return new Promise<{ status: string; bytes: number }>((resolve) => {
    let bytes = 0;
    const length = isSlow ? SLOW_BYTES : Buffer.byteLength(body);
    const sent = request(url, { method: 'POST', agent, headers: { ...headers, 'content-length': length } });
    const drip = isSlow ? setInterval(() => sent.write(' '), BYTE_EVERY_MS) : undefined;
    const end = (status: string) => {
      clearInterval(drip);
      // Its body is incomplete, so the connection is of no further use.
      if (isSlow) sent.destroy();
      resolve({ status, bytes });
    };
    sent.on('error', () => end('broken')).once('close', () => end('broken'));
    sent.once('response', (answer) => {
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.on('error', () => end('broken')).once('end', () => end(String(answer.statusCode)));
    });
    if (isSlow) sent.write(' ');
    else sent.end(body);
  });
}
