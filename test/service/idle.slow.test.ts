/** An idle service costs its database little. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';

/** Every two seconds, the intervals of heartbeats and of the poll of the epoch. */
const HEARTBEATS = 6;
/** Four a second. The poll for all loops, once a second, makes five. */
const TRANSACTIONS_PER_HEARTBEAT = 8;
const POLL = /^\s*select array\[exists/;

const { query } = pg.Client.prototype;
afterEach(() => {
  pg.Client.prototype.query = query;
});

/** Counts the transactions of this process by the first statement of each. */
function countTransactions(): Map<string, number> {
  const counts = new Map<string, number>();
  const open = new WeakSet<object>();
  pg.Client.prototype.query = function countAndQuery(this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text: string }];
    const text = typeof statement === 'string' ? statement : statement.text;
    if (!open.has(this)) counts.set(text, (counts.get(text) ?? 0) + 1);
    if (text === 'begin') open.add(this);
    if (text === 'commit' || text === 'rollback') open.delete(this);
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  return counts;
}

/** Reads the number that each heartbeat of a worker raises. Reads no database. */
async function readHeartbeats(stateDir: string): Promise<number> {
  const folder = join(stateDir, 'marks');
  const name = (await readdir(folder)).find((file) => file.endsWith('.json')) ?? '';
  return (JSON.parse(await readFile(join(folder, name), 'utf8')) as { number: number }).number;
}

test('makes at most five transactions a second while there is nothing to do', async () => {
  const app = await startTestApp();
  const heartbeats = () => readHeartbeats(app.database.stateDir);
  const waitFor = async (count: number) => {
    const first = await heartbeats();
    return (await until(heartbeats, (number) => number >= first + count)) - first;
  };
  await app.signUp('idle');
  // Housekeeping and the linking of the account are over by then.
  await waitFor(4);
  const counts = countTransactions();
  const beats = await waitFor(HEARTBEATS);
  pg.Client.prototype.query = query;
  const others = [...counts].filter(([text]) => !POLL.test(text)).reduce((sum, [, count]) => sum + count, 0);
  const polls = [...counts].filter(([text]) => POLL.test(text));
  expect(polls.map(([, count]) => count)).toEqual([expect.any(Number)]);
  // The count begins and ends between two heartbeats, so that it can contain those of one more.
  expect(others).toBeLessThanOrEqual(TRANSACTIONS_PER_HEARTBEAT * (beats + 1));
  await app.stop();
});
