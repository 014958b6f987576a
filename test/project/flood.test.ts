import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isReached } from '../../harness/bench/support/abuse-cell.ts';
import { summarize } from '../../harness/bench/support/abuse-report.ts';
import type { Flood, FloodResult } from '../../harness/bench/support/flood.ts';
import { until } from '../support/ledger.ts';

const IN_FLIGHT = 5;

describe('a flood', () => {
  /** Requests that have not been answered yet. */
  const inHand = new Set<ServerResponse>();
  let bodyBytes = 0;
  const server = createServer((request, answer) => {
    inHand.add(answer);
    answer.once('close', () => inHand.delete(answer));
    request.on('data', (chunk: Buffer) => (bodyBytes += chunk.length));
  });
  const thread = new Worker(new URL('../../harness/bench/support/flood.ts', import.meta.url));
  let url: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  beforeEach(() => (bodyBytes = 0));
  afterAll(async () => {
    await thread.terminate();
    server.close();
  });

  function start(flood: Partial<Flood>) {
    const requests = [{ headers: {}, body: 'x'.repeat(100) }];
    thread.postMessage({ url, requests, inFlight: IN_FLIGHT, isSlow: false, ...flood } satisfies Flood);
  }
  async function stop(): Promise<FloodResult> {
    thread.postMessage(undefined);
    const [result] = (await once(thread, 'message')) as [FloodResult];
    return result;
  }
  const areInHand = () =>
    until(
      () => inHand.size,
      (size) => size === IN_FLIGHT,
    );

  test('sends its next requests in turn as soon as the last are answered, and counts the answers', async () => {
    start({ requests: ['a', 'b'].map((word) => ({ headers: { word }, body: word })) });
    const words = new Set<unknown>();
    for (const status of [200, 503]) {
      await areInHand();
      for (const answer of inHand) {
        inHand.delete(answer);
        words.add(answer.req.headers['word']);
        answer.writeHead(status).end(String(status).repeat(status === 200 ? 7 : 1));
      }
    }
    await areInHand();
    expect(words).toEqual(new Set(['a', 'b']));
    expect(await stop()).toEqual({ statuses: { 200: IN_FLIGHT, 503: IN_FLIGHT }, largestAnswerBytes: 21 });
    await until(
      () => inHand.size,
      (size) => size === 0,
    );
  });

  test('that is slow brings a byte of a long body at a time', async () => {
    start({ isSlow: true });
    await areInHand();
    for (const { req } of inHand) expect(Number(req.headers['content-length'])).toBeGreaterThan(1_000);
    await until(
      () => bodyBytes,
      (bytes) => bytes > IN_FLIGHT,
    );
    expect(bodyBytes).toBeLessThan(1_000);
    expect(await stop()).toMatchObject({ statuses: {} });
  });
});

describe('a flood is in reach if another person', () => {
  const idle = { p50Ms: 10, stepsPerS: 100, liveMs: 5 };
  test.each([
    ['has twice the latency and 20 ms, half of the rate and a live service', {}, true],
    ['waits longer', { p50Ms: 41 }, false],
    ['gets no answer', { p50Ms: Infinity }, false],
    ['gets less than half of it done', { stepsPerS: 49 }, false],
    ['finds the service not live', { liveMs: 101 }, false],
  ])('%s: %j, %s', (_what, change, expected) => {
    const felt = { p50Ms: 40, stepsPerS: 50, liveMs: 100, ...change };
    expect(isReached(felt, idle)).toBe(expected);
    const rest = { statuses: {}, largestAnswerBytes: 0, cpuMsPerAnswer: undefined, processors: 1 };
    const cells = [{ what: 'valid', felt, ...rest, isReached: isReached(felt, idle) }];
    expect(summarize([{ operation: 'do', idle, cells }])).toMatchObject([{ reached: expected }]);
  });
});
