import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { only } from '../../harness/simulation/case.ts';
import type { Report } from '../../harness/simulation/child.ts';
import { openChildren, type Children } from '../../harness/simulation/children.ts';
import { writeLines, type Line } from '../../harness/simulation/line.ts';
import { startServer, type SimulationServer } from '../../harness/simulation/server.ts';

const SEEDS = 30;
const STEPS = 250;
/** In one of them the ledger is restored and one worker is isolated. */
const REPEATED = { seeds: [7, 10], steps: 250 } as const;

let servers: SimulationServer[];
/** Two halves, each with one process and one server. */
let halves: [Children, Children];

beforeAll(async () => {
  const [one, other] = await Promise.all([startServer(), startServer()]);
  servers = [one, other];
  halves = [openChildren([one.address]), openChildren([other.address])];
});
afterAll(async () => {
  await Promise.all(halves.map((half) => half.close()));
  await Promise.all(servers.map((server) => server.stop()));
});

/** Returns the report of each seed, in order. */
const repeat = (seeds: readonly number[], half: Children): Promise<Report[]> =>
  Promise.all(seeds.map((seed) => half.run({ seed, steps: REPEATED.steps, isComplete: true })));

test('the same seed gives the same history in two processes, whatever ran in them before', async () => {
  const [forth, back] = await Promise.all([
    repeat(REPEATED.seeds, halves[0]),
    repeat(REPEATED.seeds.toReversed(), halves[1]),
  ]);
  const hashes = forth.map((report) => report.hash);
  expect(hashes).toEqual(back.toReversed().map((report) => report.hash));
  expect(new Set(hashes).size).toBe(REPEATED.seeds.length);
  const kinds = new Set(forth.flatMap(({ lines }) => lines?.map(({ kind }) => kind)));
  expect([...kinds]).toEqual(expect.arrayContaining(['put back', 'left alone']));
});

test('a history is checked from its file alone, and a changed one fails', async () => {
  const [{ lines }] = (await repeat([REPEATED.seeds[0]], halves[0])) as [Report];
  const whole = lines ?? [];
  const check = async (name: string, some: typeof whole) => {
    const file = join(tmpdir(), `${name}-${process.pid}.jsonl`);
    await writeFile(file, writeLines(some));
    return promisify(execFile)(process.execPath, ['harness/simulation/run.ts', '--check', file]);
  };
  expect((await check('whole', whole)).stdout).toBe('nothing is wrong\n');
  const isAccepted = (line: (typeof whole)[number]) => line.kind === 'send' && line.verdict === 'accepted';
  await expect(
    check(
      'cut',
      whole.filter((line) => !isAccepted(line)),
    ),
  ).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('told as sent, and never left') });
});

interface Counts {
  bans: number;
  /** Of posts that were to be sent once: how many arrived twice. */
  twice: number;
  /** Deliveries that never ended, or are told as sent and never arrived. */
  lost: number;
  /** Posts that other accounts of a workspace sent after one was banned. */
  byStandIns: number;
}

/** Counts what became of the deliveries of a world, by the messaging application's own record. */
function count(lines: readonly Line[]): Counts {
  const accepted = only(lines, 'send').filter(({ verdict }) => verdict === 'accepted');
  const once = new Set(only(lines, 'request').flatMap(({ operation, text }) => (operation === 'send' ? [text] : [])));
  const posts = Map.groupBy(accepted, ({ text, chatId }) => `${text} in ${chatId}`);
  const arrived = new Set(accepted.map(({ messageId }) => messageId));
  const bans = only(lines, 'standing').filter(({ standing }) => standing === 'banned');
  const standInSince = new Map(
    only(lines, 'owner').flatMap(({ accountId, further = [] }) => {
      const own = [accountId, ...further.map((one) => one.accountId)];
      const ban = bans.find((one) => own.includes(one.accountId));
      return ban ? own.flatMap((one) => (one === ban.accountId ? [] : [[one, ban.atMs] as const])) : [];
    }),
  );
  return {
    bans: bans.length,
    twice: [...posts.values()].filter(([one, ...others]) => one && once.has(one.text) && others.length > 0).length,
    lost: only(lines, 'final')
      .flatMap(({ deliveries }) => deliveries)
      .filter(({ status, messageId }) => status === 'queued' || (status === 'sent' && !arrived.has(messageId))).length,
    byStandIns: accepted.filter(({ accountId, arrivedMs }) => arrivedMs > (standInSince.get(accountId) ?? Infinity))
      .length,
  };
}

const reports: Report[] = [];

test.each(Array.from({ length: SEEDS / 2 }, (_, index) => [2 * index + 1, 2 * index + 2] as const))(
  'finds no fault in the simulated worlds of seeds %i and %i',
  async (...seeds) => {
    const found = await Promise.all(
      seeds.map((seed, index) => (halves[index] ?? halves[0]).run({ seed, steps: STEPS, isComplete: true })),
    );
    expect(found.map(({ faults }) => faults)).toEqual([[], []]);
    reports.push(...found);
  },
);

test('has harmed these worlds, and banned accounts in mid-campaign', () => {
  expect(reports).toHaveLength(SEEDS);
  expect(reports.reduce((sum, { harmed }) => sum + harmed.length, 0)).toBeGreaterThan(SEEDS);
  // A ledger that was put back may send once more.
  const counts = reports
    .filter(({ lines }) => only(lines ?? [], 'put back').length === 0)
    .map(({ lines }) => count(lines ?? []));
  const sum = (name: keyof Counts) => counts.reduce((total, one) => total + one[name], 0);
  expect({ twice: sum('twice'), lost: sum('lost') }).toEqual({ twice: 0, lost: 0 });
  expect(sum('bans')).toBeGreaterThan(SEEDS / 10);
  expect(sum('byStandIns')).toBeGreaterThan(SEEDS / 10);
});
