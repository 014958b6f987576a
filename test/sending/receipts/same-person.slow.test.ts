/** A person with receipts under two ids before both ids are known to be theirs. */
import { afterAll, expect, test } from 'vitest';
import fc from 'fast-check';
import { readRows } from '../../../src/platform/database/statements.ts';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, analyticsWhen, createOwner, sendNow, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

type Doing = 'delivered' | 'read' | 'reacted' | 'replied';

const messenger = scriptMessenger();
const database = await useTestDatabase();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());

async function sentTo(owner: Owner): Promise<{ campaign: string; messageIds: string[] }> {
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.queued === 0);
  const rows = await readRows<{ message_id: string }>(database.db)`
    select message_id from deliveries where workspace_id = ${owner.workspaceId} order by run_id desc, position`;
  return { campaign, messageIds: rows.map((row) => row.message_id) };
}

const lid = (person: string) => `lid:${person}`;
const number = (person: string) => `number:${person}`;

function doing(
  owner: Owner,
  messageId: string | undefined,
  kind: Doing,
  participant: string,
  at = '2031-01-01T10:00:30Z',
): MemberEvent {
  const isProvisional = participant.startsWith('number:');
  return { kind, accountId: owner.accountId, messageId: messageId ?? '', participant, isProvisional, at: new Date(at) };
}

const same = (owner: Owner, person: string): MemberEvent => ({
  kind: 'same',
  accountId: owner.accountId,
  participant: lid(person),
  alias: number(person),
});

function sumOf(timeline: ReadonlyArray<{ delivered: number; read: number }>) {
  const sum = { delivered: 0, read: 0 };
  for (const bucket of timeline) {
    sum.delivered += bucket.delivered;
    sum.read += bucket.read;
  }
  return sum;
}

test('counts once as soon as both ids are known to be one person: in group, run and timeline', async () => {
  const owner = await createOwner(database.db, 2);
  const { campaign, messageIds } = await sentTo(owner);
  const [first, second] = messageIds;
  await recordReceipts(database.db, [
    doing(owner, first, 'read', number('ann')),
    doing(owner, first, 'delivered', lid('ann'), '2031-01-01T10:07:00Z'),
    doing(owner, first, 'read', lid('ben')),
    doing(owner, first, 'reacted', lid('ann')),
    doing(owner, first, 'reacted', number('ann')),
    doing(owner, second, 'replied', number('ann')),
  ]);
  const before = await analyticsOf(database.db, owner, campaign);
  expect(before.totals).toMatchObject({ delivered: 3, read: 2, reactions: 2, replies: 1 });
  await recordReceipts(database.db, [same(owner, 'ann')]);
  await recordReceipts(database.db, [same(owner, 'ann'), doing(owner, first, 'read', lid('ann'))]);
  const after = await analyticsOf(database.db, owner, campaign);
  expect(after.totals).toMatchObject({ delivered: 2, read: 2, reactions: 1, replies: 1 });
  expect(after.groups[0]).toMatchObject({ delivered: 2, read: 2, reactions: 1, replies: 0 });
  expect(after.groups[1]).toMatchObject({ delivered: 0, read: 0, reactions: 0, replies: 1 });
  expect(sumOf(after.timeline)).toEqual({ delivered: 2, read: 2 });
  const rows = await readRows(database.db)`select delivered, read from runs where workspace_id = ${owner.workspaceId}`;
  expect(rows).toEqual([{ delivered: 2, read: 2 }]);
});

test('stays two for ids of two people, or of another account', async () => {
  const alice = await createOwner(database.db, 1);
  const bob = await createOwner(database.db, 1);
  const { campaign, messageIds } = await sentTo(alice);
  await recordReceipts(database.db, [
    doing(alice, messageIds[0], 'read', number('ann')),
    doing(alice, messageIds[0], 'read', lid('ann')),
  ]);
  await recordReceipts(database.db, [same(bob, 'ann'), same(alice, 'ben')]);
  expect((await analyticsOf(database.db, alice, campaign)).totals).toMatchObject({ delivered: 2, read: 2 });
});

const PEOPLE = ['ann', 'ben', 'cem'];
const DOINGS: readonly Doing[] = ['delivered', 'read', 'reacted', 'replied'];

test('counts the same in any order, batch and repetition', async () => {
  const told = fc.record({
    person: fc.constantFrom(...PEOPLE),
    kind: fc.constantFrom(...DOINGS),
    post: fc.nat({ max: 1 }),
    byNumber: fc.boolean(),
    minute: fc.nat({ max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(told, { maxLength: 6 }), { maxLength: 4 }), async (batches) => {
      const owner = await createOwner(database.db, 2);
      const { campaign, messageIds } = await sentTo(owner);
      const toEvent = ({ person, kind, post, byNumber, minute }: (typeof batches)[number][number]) => {
        const at = `2031-01-01T10:0${minute}:30Z`;
        return doing(owner, messageIds[post], kind, byNumber ? number(person) : lid(person), at);
      };
      for (const batch of batches) await recordReceipts(database.db, batch.map(toEvent));
      await recordReceipts(database.db, [...batches.flat().map(toEvent), ...PEOPLE.map((who) => same(owner, who))]);
      const all = batches.flat();
      const count = (...kinds: Doing[]) =>
        new Set(all.filter(({ kind }) => kinds.includes(kind)).map(({ person, post }) => `${person} ${post}`)).size;
      const { totals, timeline } = await analyticsOf(database.db, owner, campaign);
      const expected = { delivered: count('delivered', 'read'), read: count('read') };
      expect(totals).toMatchObject({ ...expected, reactions: count('reacted'), replies: count('replied') });
      expect(sumOf(timeline)).toEqual(expected);
      const rows = await readRows(database.db)`
        select from provisional_receipts where workspace_id = ${owner.workspaceId}`;
      expect(rows).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
