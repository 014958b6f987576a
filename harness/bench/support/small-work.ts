import { setTimeout as pause } from 'node:timers/promises';
import { call, type Client } from './client.ts';
import { median } from './table.ts';

/** What a user experiences who does small things one after the other. */
export interface Felt {
  /** Of a request. A refused one took for ever, and one that was under way at the end took at least until then. */
  p50Ms: number;
  /** Answered requests and sent campaigns, per second. */
  stepsPerS: number;
  /** The slowest answer of `/health/live` meanwhile. */
  liveMs: number;
}

/** The user thinks so long after each round, and asks so often whether a campaign has been sent. */
const PAUSE_MS = 10;
const PROBE_EVERY_MS = 100;

/** Reads the profile, previews, and sends a campaign to `groupIds`, round after round, for a number of seconds. */
export async function doSmallWork(user: Client, groupIds: readonly number[], seconds: number): Promise<Felt> {
  const signal = AbortSignal.timeout(seconds * 1_000);
  const startedAt = performance.now();
  const times: number[] = [];
  let steps = 0;
  const ask = async <Data>(operation: string, body: object) => {
    if (signal.aborted) return undefined;
    const askedAt = performance.now();
    const data = await call<Data>(user.url, operation, body, user.headers, signal).catch(() => undefined);
    const isOver = data === undefined && signal.aborted;
    times.push(data === undefined && !isOver ? Infinity : performance.now() - askedAt);
    if (data !== undefined) steps += 1;
    return data;
  };
  const slowestProbe = probeLiveness(user.url, signal);
  while (!signal.aborted) {
    await ask('user/get_profile', {});
    await ask('venom/preview-campaign', { html: '<p>Hello <b>you</b></p>' });
    const body = { name: 'Hello', html: 'Hello', group_metadata_ids: groupIds };
    const campaign = await ask<{ campaign_id: string }>('venom/add-campaign', body);
    if (campaign && (await isSent(user, campaign.campaign_id, signal))) steps += 1;
    await pause(PAUSE_MS);
  }
  const stepsPerS = steps / ((performance.now() - startedAt) / 1_000);
  return { p50Ms: median(times), stepsPerS, liveMs: await slowestProbe };
}

async function isSent(user: Client, campaign_id: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const read = call<{ status: string }>(user.url, 'venom/get-campaign', { campaign_id }, user.headers, signal);
    const answer = await read.catch(() => undefined);
    if (answer?.status.startsWith('completed')) return true;
    await pause(PAUSE_MS);
  }
  return false;
}

async function probeLiveness(url: string, signal: AbortSignal): Promise<number> {
  let slowest = 0;
  while (!signal.aborted) {
    const askedAt = performance.now();
    await fetch(`${url}/health/live`, { signal }).then(
      (answer) => answer.text(),
      () => undefined,
    );
    slowest = Math.max(slowest, performance.now() - askedAt);
    await pause(PROBE_EVERY_MS);
  }
  return slowest;
}
