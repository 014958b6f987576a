import { afterEach, describe, expect, test } from 'vitest';
import { comparePosts, type Expected, type ExpectedRun } from '../../harness/witness/compare-posts.ts';
import { witnessMessenger } from '../../harness/witness/messenger.ts';
import type { Entry } from '../../harness/witness/protocol.ts';
import { startWitness, type Witness } from '../../harness/witness/start-witness.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';

const ACCOUNT = { accountId: 1 as AccountId, workspaceId: 1 as WorkspaceId, phoneNumber: '4915100000001' };

const undo: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

const post = { text: 'Hello', media: null };
const always = () => true;

async function begin(): Promise<{ witness: Witness; send: (...ids: string[]) => Promise<string[]> }> {
  const witness = await startWitness();
  undo.push(witness.stop);
  const messenger = witnessMessenger('sandbox', witness.port);
  undo.push(() => messenger.close());
  const session = await messenger.link(ACCOUNT, 'qr', () => {});
  const chat = await session.createGroup({ name: 'Choir', participants: [] });
  return {
    witness,
    async send(...ids) {
      const to = ids.map((messageId) => ({ chatId: chat.chatId, messageId, uncertain: false, resend: false }));
      return (await session.send(post, to, always)).map(({ kind }) => kind);
    },
  };
}

describe('the witness', () => {
  test('stores accepted posts and drops a repeated id', async () => {
    const { witness, send } = await begin();
    expect(await send('A', 'B', 'A')).toEqual(['sent', 'sent', 'sent']);
    const entries = await witness.entries();
    expect(entries.map(({ messageId, verdict }) => [messageId, verdict])).toEqual([
      ['A', 'accepted'],
      ['B', 'accepted'],
      ['A', 'copy'],
    ]);
    expect(entries.map(({ pid }) => pid)).toEqual([process.pid, process.pid, process.pid]);
  });

  test('rejects temporarily and permanently', async () => {
    const { witness, send } = await begin();
    await witness.behave({ refuse: 1 });
    expect(await send('A')).toEqual(['refused']);
    await witness.behave({});
    expect(await send('A')).toEqual(['sent']);
    await witness.behave({ refuseForGood: 1 });
    await send('B');
    await witness.behave({});
    expect(await send('B')).toEqual(['refused']);
    const verdicts = (await witness.entries()).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['refused', 'accepted', 'refused for good', 'refused for good']);
  });

  test('accepts a post whose acknowledgement is lost, and not one that vanishes', async () => {
    const { witness, send } = await begin();
    await witness.behave({ breakOff: 1 });
    expect(await send('A')).toEqual(['unknown']);
    await witness.behave({ loseAck: 1 });
    expect(await send('B')).toEqual(['unknown']);
    await witness.behave({ vanish: 1 });
    expect(await send('C')).toEqual(['unknown']);
    await witness.behave({});
    expect(await send('A', 'B', 'C')).toEqual(['sent', 'sent', 'sent']);
    const verdicts = (await witness.entries()).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['accepted', 'accepted', 'vanished', 'copy', 'copy', 'accepted']);
  });

  test('receives no more posts of a turn once the lease has expired', async () => {
    const { witness } = await begin();
    const messenger = witnessMessenger('sandbox', witness.port);
    undo.push(() => messenger.close());
    const session = await messenger.link(ACCOUNT, 'qr', () => {});
    const to = ['A', 'B', 'C'].map((messageId) => ({ chatId: '1@g.us', messageId, uncertain: false, resend: false }));
    let asked = 0;
    const results = await session.send(post, to, () => ++asked < 2);
    expect(results.map(({ kind }) => kind)).toEqual(['sent', 'offline', 'offline']);
    expect(await witness.entries()).toHaveLength(1);
  });
});

describe('the comparison', () => {
  const run: ExpectedRun = {
    accountId: 1 as AccountId,
    text: 'one',
    chatIds: ['a', 'b', 'c'],
    askedMs: 0,
    dueMs: 10,
    halts: [],
    cancelled: false,
  };
  const second: ExpectedRun = { ...run, text: 'two', askedMs: 20, dueMs: 30, chatIds: ['a'] };

  /** Returns one entry per post, 100 ms apart, with the given differences. */
  function entries(...posts: Array<Partial<Entry> & { chatId: string }>): Entry[] {
    return posts.map((post, index) => ({
      accountId: 1 as AccountId,
      text: 'one',
      messageId: `${post.text ?? 'one'} ${post.chatId}`,
      uncertain: false,
      pid: 1,
      arrival: index + 1,
      arrivedMs: 100 * (index + 1),
      answeredMs: 100 * (index + 1) + 10,
      verdict: 'accepted',
      ...post,
    }));
  }

  function faultsOf(seen: Entry[], runs = [run], more: Partial<Expected> = {}) {
    const { faults } = comparePosts(seen, { runs, gapMs: new Map(), turnSize: () => 1, ...more });
    return Object.fromEntries(Object.entries(faults).filter(([, found]) => found > 0));
  }
  const all = [{ chatId: 'a' }, { chatId: 'b' }, { chatId: 'c' }];

  test('finds no fault in correct deliveries', () => {
    expect(faultsOf(entries(...all))).toEqual({});
    expect(faultsOf(entries(...all, { chatId: 'b', verdict: 'copy', uncertain: true }))).toEqual({});
    expect(faultsOf(entries(...all), [run], { gapMs: new Map([[1, 90]]) })).toEqual({});
    expect(faultsOf(entries({ chatId: 'a' }), [{ ...run, cancelled: true }])).toEqual({});
    expect(
      faultsOf(entries({ chatId: 'a', verdict: 'refused' }, { chatId: 'b' }, { chatId: 'a' }, { chatId: 'c' })),
    ).toEqual({});
  });

  test('allows a run to start before an earlier due one that was accepted later', () => {
    const seen = entries({ chatId: 'a', text: 'two' }, ...all);
    expect(faultsOf(seen, [{ ...run, acceptedMs: 150 }, second])).toEqual({});
    expect(faultsOf(seen, [{ ...run, acceptedMs: 50 }, second])).toEqual({ 'runs out of order': 1 });
  });

  test.each<[string, Record<string, number>, Entry[], ExpectedRun[], Partial<Expected>]>([
    ['lost', { lost: 1 }, entries({ chatId: 'a' }, { chatId: 'c' }), [run], {}],
    [
      'lost for good',
      { lost: 1 },
      entries(...all.slice(1), { chatId: 'a', verdict: 'vanished' }),
      [{ ...run, chatIds: ['b', 'c', 'a'] }],
      {},
    ],
    ['twice', { 'twice under two ids': 1 }, entries(...all, { chatId: 'b', messageId: 'another' }), [run], {}],
    [
      'again without a warning',
      { 'repeated without a warning': 1 },
      entries(...all, { chatId: 'b', verdict: 'copy' }),
      [run],
      {},
    ],
    [
      'again with another text',
      { 'repeated with a difference': 1 },
      entries(...all, { chatId: 'a', text: 'two', messageId: 'one a', verdict: 'copy', uncertain: true }),
      [run, { ...second, cancelled: true }],
      {},
    ],
    ['unasked', { unasked: 1 }, entries(...all, { chatId: 'd' }), [run], {}],
    ['of no run', { unasked: 1 }, entries(...all, { chatId: 'a', text: 'never' }), [run], {}],
    [
      'out of order',
      { 'out of order within a run': 1 },
      entries({ chatId: 'b' }, { chatId: 'a' }, { chatId: 'c' }),
      [run],
      {},
    ],
    ['runs out of order', { 'runs out of order': 1 }, entries({ chatId: 'a', text: 'two' }, ...all), [run, second], {}],
    ['too fast', { 'under-paced': 2 }, entries(...all), [run], { gapMs: new Map([[1, 95]]) }],
    [
      'after a pause',
      { 'left after a halt': 1 },
      entries(...all),
      [{ ...run, halts: [{ fromMs: 150, toMs: Infinity }] }],
      {},
    ],
  ])('finds a fault: %s', (_, faults, seen, runs, more) => {
    expect(faultsOf(seen, runs, more)).toEqual(faults);
  });
});
