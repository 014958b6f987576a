import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { sleep } from '../../../src/platform/time/time.ts';
import type { Service } from '../../../test/support/service/service.ts';
import type { Client } from './client.ts';
import { cpuMs } from './cpu.ts';
import type { Flood, FloodResult } from './flood.ts';
import { doSmallWork, type Felt } from './small-work.ts';
import { median } from './table.ts';

export const REACH = { p50Times: 2, p50MoreMs: 20, rate: 0.5, liveMs: 100 };
/** Until the flood is in flight. */
const RISE_MS = 150;
const RECOVERY_LIMIT_MS = 60_000;
const CALM_IN_A_ROW = 3;

/** What is measured, and who does small work meanwhile. */
export interface Measuring {
  service: Service;
  thread: Worker;
  other: Client;
  groupIds: readonly number[];
  seconds: number;
}

/** The other person's work without a flood, and how many processors it kept busy in the service. */
export interface Idle {
  felt: Felt;
  processors: number;
}

/** What came of one flood. */
export interface Cell {
  what: string;
  felt: Felt;
  statuses: FloodResult['statuses'];
  largestAnswerBytes: number;
  /** Of the service's process, for each answer to the flood; undefined if there was none. */
  cpuMsPerAnswer: number | undefined;
  /** How many processors the service's process kept busy. */
  processors: number;
  isReached: boolean;
}

export async function measureIdle({ service, other, groupIds, seconds }: Measuring): Promise<Idle> {
  const [from, startedAt] = [await cpuMs(service), performance.now()];
  const felt = await doSmallWork(other, groupIds, seconds);
  return { felt, processors: ((await cpuMs(service)) - from) / (performance.now() - startedAt) };
}

/** The yardstick, from several idle moments. */
export function medianIdle(idles: readonly Idle[]): Idle {
  const of = (value: (idle: Idle) => number) => median(idles.map(value));
  const felt = {
    p50Ms: of((one) => one.felt.p50Ms),
    stepsPerS: of((one) => one.felt.stepsPerS),
    liveMs: of((one) => one.felt.liveMs),
  };
  return { felt, processors: of((one) => one.processors) };
}

/** Floods the service while the other person works. */
export async function measureCell(
  { what, flood, idle }: { what: string; flood: Flood; idle: Idle },
  { service, other, groupIds, thread, seconds }: Measuring,
): Promise<Cell> {
  thread.postMessage(flood);
  await sleep(RISE_MS);
  const from = { cpu: await cpuMs(service), at: performance.now() };
  const felt = await doSmallWork(other, groupIds, seconds);
  const [cpu, elapsedMs] = [(await cpuMs(service)) - from.cpu, performance.now() - from.at];
  thread.postMessage(undefined);
  const [{ statuses, largestAnswerBytes }] = (await once(thread, 'message')) as [FloodResult];
  const { broken: _broken, ...ofAnswers } = statuses;
  const all = Object.values(ofAnswers).reduce((sum, count) => sum + count, 0);
  const answers = all * (elapsedMs / (elapsedMs + RISE_MS));
  // The other person's share is what their work costs when idle.
  const cpuOfFlood = cpu - idle.processors * elapsedMs * (felt.stepsPerS / idle.felt.stepsPerS);
  const isCalm = await recover({ service, other }, idle);
  return {
    what,
    felt,
    statuses,
    largestAnswerBytes,
    cpuMsPerAnswer: answers > 0 ? Math.max(0, cpuOfFlood) / answers : undefined,
    processors: cpu / elapsedMs,
    isReached: isCalm && isReached(felt, idle.felt),
  };
}

/**
 * Waits until the other person's requests are answered as when idle, and the service works no more than then: no flood is measured beside
 * the rest of the last one, such as pictures of clients that have left.
 */
async function recover({ service, other }: Pick<Measuring, 'service' | 'other'>, idle: Idle): Promise<boolean> {
  const until = performance.now() + RECOVERY_LIMIT_MS;
  let calm = 0;
  while (calm < CALM_IN_A_ROW) {
    const [from, askedAt] = [await cpuMs(service), performance.now()];
    if (askedAt > until) return false;
    const answer = await other.call('user/get_profile').catch(() => undefined);
    const isFast = answer !== undefined && performance.now() - askedAt <= mostMs(idle.felt);
    await sleep(RISE_MS);
    const processors = ((await cpuMs(service)) - from) / (performance.now() - askedAt);
    calm = isFast && processors <= idle.processors ? calm + 1 : 0;
  }
  return true;
}

const mostMs = (idle: Felt) => REACH.p50Times * idle.p50Ms + REACH.p50MoreMs;

/** Whether the other person's work beside a flood is as good as the goal. */
export function isReached(felt: Felt, idle: Felt): boolean {
  const isFast = felt.p50Ms <= mostMs(idle) && felt.stepsPerS >= REACH.rate * idle.stepsPerS;
  return isFast && felt.liveMs <= REACH.liveMs;
}
