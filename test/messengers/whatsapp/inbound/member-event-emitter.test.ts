/** Events of members are released once they are recorded, and not before. */
import { expect, test } from 'vitest';
import { createLog } from '../../../../src/platform/log/log.ts';
import type { MemberEvent } from '../../../../src/messengers/messenger.ts';
import { createMemberEventEmitter } from '../../../../src/messengers/whatsapp/inbound/member-event-emitter.ts';
import { until } from '../../../support/ledger.ts';
import type { AccountId } from '../../../../src/platform/database/schema.ts';

const log = createLog('fatal');
const event = (messageId: string): MemberEvent => ({
  kind: 'read',
  accountId: 1 as AccountId,
  messageId,
  participant: 'ann',
  at: new Date(0),
});

test('records events that arrive during a recording after it', async () => {
  const { emit, watch } = createMemberEventEmitter({ log });
  const recorded: MemberEvent[] = [];
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const stop = watch(async (events) => {
    if (recorded.length === 0) {
      begun.resolve();
      await first.promise;
    }
    recorded.push(...events);
  });
  const one = emit([event('one')]);
  await begun.promise;
  const others = [emit([event('two')]), emit([event('three'), event('four')])];
  first.resolve();
  expect(await Promise.all([one, ...others])).toEqual([true, true, true]);
  expect(recorded).toEqual(['one', 'two', 'three', 'four'].map(event));
  await stop();
});

test('resolves an empty call when all earlier events are recorded', async () => {
  const { emit, watch } = createMemberEventEmitter({ log });
  const recorded: MemberEvent[][] = [];
  const away = Promise.withResolvers<void>();
  const stop = watch(async (events) => {
    await away.promise;
    recorded.push(events);
  });
  const one = emit([event('one')]);
  const nothing = emit([]).then(() => recorded.length);
  away.resolve();
  expect(await Promise.all([one, nothing])).toEqual([true, 1]);
  expect(await emit([])).toBe(true);
  expect(recorded).toEqual([[event('one')]]);
  await stop();
});

test('records a failed batch again, and confirms it only then', async () => {
  const { emit, watch } = createMemberEventEmitter({ log });
  let tries = 0;
  const stop = watch(() => (++tries < 3 ? Promise.reject(new Error('the database is away')) : Promise.resolve()));
  expect(await emit([event('one')])).toBe(true);
  expect(tries).toBe(3);
  await stop();
});

test('queues no more than its limit, and counts dropped events without confirming them', async () => {
  let lost = 0;
  const { emit, watch } = createMemberEventEmitter({ log, maxQueued: 3, onLost: (count) => (lost += count) });
  const away = Promise.withResolvers<void>();
  const recorded: string[] = [];
  const stop = watch(async (events) => {
    await away.promise;
    for (const one of events) if ('messageId' in one) recorded.push(one.messageId);
  });
  const kept = [emit([event('one')]), emit([event('two'), event('three')])];
  expect(await emit([event('four'), event('five')])).toBe(false);
  expect(lost).toBe(2);
  away.resolve();
  expect(await Promise.all(kept)).toEqual([true, true]);
  expect(await emit([event('six')])).toBe(true);
  expect(recorded).toEqual(['one', 'two', 'three', 'six']);
  await stop();
});

test('does not confirm events that are unrecorded at the end, or have no recorder', async () => {
  const { emit, watch } = createMemberEventEmitter({ log });
  expect(await emit([event('before')])).toBe(false);
  let tries = 0;
  const stop = watch(() => Promise.reject(new Error(`try ${++tries}`)));
  const told = emit([event('during')]);
  await until(
    () => Promise.resolve(tries),
    (count) => count > 0,
  );
  await stop();
  expect(await told).toBe(false);
  expect(await emit([event('after')])).toBe(false);
});
