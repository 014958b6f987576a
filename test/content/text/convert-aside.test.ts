/** Html that takes long is converted in threads: nobody waits for what another sent, and nothing goes on for ever. */
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConverter } from '../../../src/content/text/convert-in-worker.ts';
import { HTML_LIMIT } from '../../../src/api/contract/fields.ts';
import { convertHtml } from '../../../src/content/text/html-to-whatsapp.ts';
import { until } from '../../support/ledger.ts';
import { WORST_HTML } from '../../support/inputs/worst-html.ts';

const LONG = `<p>${'one <b>two</b> '.repeat(2_000)}</p>`;
/** However busy the machine is with others. */
const UNHURRIED = { deadlineMs: 60_000, waitMs: 60_000 };
const WORST = WORST_HTML['links around blocks, in marks']?.(HTML_LIMIT) ?? '';

let threads: Worker[];
const note = (thread: Worker) => void threads.push(thread);
const ended = (thread: Worker) => thread.threadId === -1;
beforeEach(() => {
  threads = [];
  process.on('worker', note);
});
afterEach(() => void process.off('worker', note));

test('long html comes to the same in a thread, and none is left when it is closed', async () => {
  const converter = createConverter(UNHURRIED);
  expect(await converter.convert(LONG, 1)).toEqual(convertHtml(LONG));
  expect(await converter.convert(LONG, 2)).toEqual(convertHtml(LONG));
  expect(threads).toHaveLength(1);
  await converter.close();
  expect(threads.every(ended)).toBe(true);
});

test('short html needs no thread', async () => {
  const converter = createConverter(UNHURRIED);
  expect(await converter.convert('<b>one</b>', 1)).toMatchObject({ text: '*one*' });
  expect(threads).toEqual([]);
  await converter.close();
});

test('what is past its deadline is refused as too tangled, and its thread ended', async () => {
  const converter = createConverter({ deadlineMs: 1 });
  const { text, problems } = await converter.convert(WORST, 1);
  expect({ text, problems }).toEqual({ text: '', problems: [{ field: 'html', issue: 'is too tangled to be read' }] });
  await until(() => threads.every(ended), Boolean);
  await converter.close();
});

test('a user has one conversion at a time, and nobody else waits for the second', async () => {
  const converter = createConverter(UNHURRIED);
  const order: string[] = [];
  const convert = async (userId: number, name: string) => {
    await converter.convert(LONG, userId);
    order.push(name);
  };
  // Both threads are there, so that none has to be started first.
  await Promise.all([converter.convert(LONG, 1), converter.convert(LONG, 2)]);
  const own = Array.from({ length: 20 }, (_, index) => `${index}`);
  await Promise.all([...own.map((name) => convert(1, name)), convert(2, 'of another')]);
  expect(order.filter((name) => name !== 'of another')).toEqual(own);
  expect(order.indexOf('of another')).toBeLessThan(own.length);
  expect(threads.length).toBeLessThanOrEqual(2);
  await converter.close();
});

test('the process goes on meanwhile', async () => {
  const converter = createConverter(UNHURRIED);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await converter.convert(WORST, 1);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
  await converter.close();
});

test('what waits when too much does already is turned away, and all of it when the service stops', async () => {
  const converter = createConverter(UNHURRIED);
  const all = Array.from({ length: 102 }, () => converter.convert(WORST, 1));
  const settled = Promise.allSettled(all);
  await expect(all[101]).rejects.toThrow('overloaded');
  await until(() => threads.length > 0, Boolean);
  await converter.close();
  expect((await settled).map(({ status }) => status)).not.toContain('fulfilled');
  await expect(converter.convert(LONG, 2)).rejects.toThrow('overloaded');
  expect(threads.every(ended)).toBe(true);
});
