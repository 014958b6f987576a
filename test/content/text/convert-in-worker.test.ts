/** Long html is converted in threads: no user waits for another, and each conversion has a deadline. */
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { workFor } from '../../../src/platform/concurrency/requester.ts';
import { createConverter } from '../../../src/content/text/convert-in-worker.ts';
import { HTML_LIMIT } from '../../../src/api/contract/fields.ts';
import { convertHtml } from '../../../src/content/text/html-to-whatsapp.ts';
import { until } from '../../support/ledger.ts';
import { WORST_HTML } from '../../support/inputs/worst-html.ts';

const LONG = `<p>${'one <b>two</b> '.repeat(2_000)}</p>`;
/** Deadlines for a busy machine. */
const NO_LAG_LIMITS = { deadlineMs: 60_000, waitMs: 60_000 };
const WORST = WORST_HTML['links around blocks, in marks']?.(HTML_LIMIT) ?? '';

/** Does work for a workspace. */
const as = <Result>(workspace: number, work: () => Result) =>
  workFor({ party: [`workspace ${workspace}`], isWrite: false }, work);

let threads: Worker[];
const note = (thread: Worker) => void threads.push(thread);
const ended = (thread: Worker) => thread.threadId === -1;
beforeEach(() => {
  threads = [];
  process.on('worker', note);
});
afterEach(() => void process.off('worker', note));

test('converts long html in a thread with the same result, and ends its threads on close', async () => {
  const converter = createConverter(NO_LAG_LIMITS);
  expect(await converter.convert(LONG)).toEqual(convertHtml(LONG));
  expect(await as(2, () => converter.convert(LONG))).toEqual(convertHtml(LONG));
  expect(threads).toHaveLength(1);
  await converter.close();
  expect(threads.every(ended)).toBe(true);
});

test('converts short html without a thread', async () => {
  const converter = createConverter(NO_LAG_LIMITS);
  expect(await converter.convert('<b>one</b>')).toMatchObject({ text: '*one*' });
  expect(threads).toEqual([]);
  await converter.close();
});

test('rejects html past its deadline as too tangled, and ends the thread', async () => {
  const converter = createConverter({ deadlineMs: 1 });
  const { text, problems } = await converter.convert(WORST);
  expect({ text, problems }).toMatchObject({
    text: '',
    problems: [{ field: 'html', issue: 'is too tangled to be read' }],
  });
  await until(() => threads.every(ended), Boolean);
  await converter.close();
});

test('runs one conversion per workspace, and no other workspace waits for the second', async () => {
  const converter = createConverter(NO_LAG_LIMITS);
  const order: string[] = [];
  const convert = async (workspace: number, name: string) => {
    await as(workspace, () => converter.convert(LONG));
    order.push(name);
  };
  // Both threads have started before the measurement.
  await Promise.all([as(1, () => converter.convert(LONG)), as(2, () => converter.convert(LONG))]);
  const own = Array.from({ length: 20 }, (_, index) => `${index}`);
  await Promise.all([...own.map((name) => convert(1, name)), convert(2, 'of another')]);
  expect(order.filter((name) => name !== 'of another')).toEqual(own);
  expect(order.indexOf('of another')).toBeLessThan(own.length);
  expect(threads.length).toBeLessThanOrEqual(2);
  await converter.close();
});

test('does not block the event loop', async () => {
  const converter = createConverter(NO_LAG_LIMITS);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await converter.convert(WORST);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
  await converter.close();
});

test('load shedding: rejects conversions when too many wait, and all of them on close', async () => {
  const converter = createConverter(NO_LAG_LIMITS);
  const all = as(1, () => Array.from({ length: 102 }, () => converter.convert(WORST)));
  const settled = Promise.allSettled(all);
  await expect(all[101]).rejects.toThrow('overloaded');
  await until(() => threads.length > 0, Boolean);
  await converter.close();
  expect((await settled).map(({ status }) => status)).not.toContain('fulfilled');
  await expect(as(2, () => converter.convert(LONG))).rejects.toThrow('overloaded');
  expect(threads.every(ended)).toBe(true);
});
