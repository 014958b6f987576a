import { afterAll, beforeAll, expect, test } from 'vitest';
import { only } from '../../simulation/case.ts';
import type { Report } from '../../simulation/child.ts';
import { openChildren, type Children } from '../../simulation/children.ts';
import type { Line } from '../../simulation/line.ts';
import { startServer, type SimulationServer } from '../../simulation/server.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const STEPS = 250;

let servers: SimulationServer[];
let children: Children;
beforeAll(async () => {
  servers = await Promise.all([startServer(), startServer()]);
  children = openChildren(servers.map(({ address }) => address));
});
afterAll(async () => {
  await children.close();
  await Promise.all(servers.map((server) => server.stop()));
});

interface Counts {
  bans: number;
  /** Deliveries that were accepted, and of these those that arrived twice, that never ended, and that a stand-in sent after the ban. */
  deliveries: number;
  twice: number;
  lost: number;
  byStandIns: number;
}

/** Counts what became of the deliveries of a world, by the messaging application's own record. */
function count(lines: readonly Line[]): Counts {
  const accepted = only(lines, 'send').filter(({ verdict }) => verdict === 'accepted');
  const posts = Map.groupBy(accepted, ({ text, chatId }) => `${text} in ${chatId}`);
  const bans = only(lines, 'standing').filter(({ standing }) => standing === 'banned');
  const deliveries = only(lines, 'final').flatMap((final) => final.deliveries);
  const arrived = new Set(accepted.map(({ messageId }) => messageId));
  const firstBanMs = Math.min(...bans.map(({ atMs }) => atMs));
  const banned = new Set(bans.map(({ accountId }) => accountId));
  return {
    bans: bans.length,
    deliveries: deliveries.length,
    twice: [...posts.values()].filter(({ length }) => length > 1).length,
    lost: deliveries.filter(
      ({ status, messageId, error, uncertain }) =>
        status === 'queued' ||
        (status === 'sent' && !arrived.has(messageId)) ||
        (status === 'failed' && !error && !uncertain),
    ).length,
    byStandIns: accepted.filter(({ accountId, arrivedMs }) => arrivedMs > firstBanMs && !banned.has(accountId)).length,
  };
}

test('two accounts of which one is banned in mid-campaign send nothing twice and lose nothing in twenty worlds', async () => {
  const reports = await Promise.all(
    SEEDS.map(async (seed): Promise<Report & { seed: number }> => {
      return { seed, ...(await children.run({ seed, steps: STEPS, isBanned: true, isComplete: true })) };
    }),
  );
  expect(reports.flatMap(({ seed, faults }) => (faults.length > 0 ? [{ seed, faults }] : []))).toEqual([]);
  const counts = reports.map(({ lines }) => count(lines ?? []));
  const sum = (name: keyof Counts) => counts.reduce((total, one) => total + one[name], 0);
  expect({ twice: sum('twice'), lost: sum('lost') }).toEqual({ twice: 0, lost: 0 });
  // In a few worlds one of the two workspaces has sent too little by the end.
  expect(sum('bans')).toBeGreaterThan(SEEDS.length * 1.5);
  expect(sum('byStandIns')).toBeGreaterThan(SEEDS.length * 5);
  expect(sum('deliveries')).toBeGreaterThan(SEEDS.length * 20);
  expect(reports.reduce((total, { harmed }) => total + harmed.length, 0)).toBeGreaterThan(SEEDS.length);
});
