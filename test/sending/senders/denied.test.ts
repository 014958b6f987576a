/** A post that one account may not send leaves by another account that may, if it surely has not left before. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import type { SendResult } from '../../../src/messengers/messenger.ts';
import { requeueLanes } from '../../../src/sending/leases/lease-store.ts';
import { toOutcomeUnknown } from '../../../src/platform/errors/failures.ts';
import { classifyResult, type Outcome } from '../../../src/sending/deliveries/outcome.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, sendNow, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});
async function work(messenger: ScriptedMessenger): Promise<void> {
  workers.push(await startTestWorker(database, messenger));
}

const DENIED = { kind: 'refused', reason: 'Only admins may post', final: true, isAccessDenied: true } as const;
const NO_EARLIER = { attempts: 0, uncertain: false };
const denied = classifyResult(DENIED, NO_EARLIER);

/** An owner whose first account sends, and a second account that is a member of all groups, or of these. */
async function createPair(groups: number, members?: readonly number[]) {
  const owner = await createOwner(database.db, groups);
  const groupIds = members?.map((number) => owner.groupIds[number - 1] ?? 0);
  const second = await addAccount(database.db, owner, { ...(groupIds && { groupIds }) });
  await setSenders(database.db, owner, [owner.accountId, second]);
  return { owner, second, lane: { ...owner, accountId: second } };
}

interface Row {
  account: AccountId;
  status: string;
  attempts: number;
  uncertain: boolean;
  error: string | null;
  messageId: string;
}
async function rowsOf(owner: Owner): Promise<Row[]> {
  const rows = await readRows<Row>(database.db)`
    select account_id as account, status, attempts, uncertain, error, message_id as "messageId" from deliveries
    where workspace_id = ${owner.workspaceId} order by run_id, position`;
  return rows;
}

/** Whether the account may post in each group, and whether anybody may. */
async function waysOf(owner: Owner, accountId: AccountId): Promise<boolean[][]> {
  const rows = await readRows<{ own: boolean; any: boolean }>(database.db)`
    select m.can_send as own, g.can_send as "any" from groups g join group_accounts m using (group_id)
    where g.workspace_id = ${owner.workspaceId} and m.account_id = ${accountId} order by g.group_id`;
  return rows.map(({ own, any }) => [own, any]);
}

describe('a post that an account may not send', () => {
  test('leaves by another account, once, with ids of its own', async () => {
    const { owner, second } = await createPair(3);
    const messenger = scriptMessenger();
    messenger.answer = (_to, _post, accountId) => (accountId === owner.accountId ? DENIED : undefined);
    const campaign = await sendNow(database.db, owner);
    const before = await rowsOf(owner);
    await work(messenger);
    const { totals } = await analyticsWhen(
      database.db,
      owner,
      campaign,
      ({ campaign: { status } }) => status === 'completed',
    );
    expect(totals).toMatchObject({ sent: 3, failed: 0 });
    expect(messenger.arrivals.map(({ accountId }) => accountId)).toEqual([second, second, second]);
    const ids = [...before, ...(await rowsOf(owner))].map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(6);
    expect(await waysOf(owner, owner.accountId)).toEqual([
      [false, true],
      [false, true],
      [false, true],
    ]);
  });

  test('does not pause the campaign, however many there are, and has all attempts again', async () => {
    const { owner, second } = await createPair(5);
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    const tried = await turns.claim(owner);
    const busy: Outcome = { kind: 'retry', waitMs: 0, reason: 'too busy', uncertain: false };
    await turns.finish(tried, [busy, busy, busy, busy, busy]);
    await turns.finish(await turns.claim(owner), [denied, denied, denied, denied, denied]);
    const expected = { account: second, status: 'queued', attempts: 0, uncertain: false };
    expect(await rowsOf(owner)).toMatchObject([expected, expected, expected, expected, expected]);
    const { campaign: head } = await analyticsWhen(database.db, owner, campaign, () => true);
    expect(head.status).toBe('running');
  });

  test('fails if no other account may send it either, and then pauses the campaign', async () => {
    const { owner, lane } = await createPair(3);
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.finish(await turns.claim(owner), [denied, denied, denied]);
    await turns.finish(await turns.claim(lane), [denied, denied, sent]);
    const { totals, campaign: head } = await analyticsWhen(database.db, owner, campaign, () => true);
    expect(totals).toMatchObject({ sent: 1, failed: 2, queued: 0 });
    expect(head.status).toBe('completed_with_errors');
    expect(await waysOf(owner, owner.accountId)).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ]);
    const again = await sendNow(database.db, owner, owner.groupIds.slice(2));
    // The account that was refused is not chosen by the next run.
    expect(await turns.tryClaim(owner)).toBeUndefined();
    await turns.finish(await turns.claim(lane), [sent]);
    await analyticsWhen(database.db, owner, again, ({ campaign: { status } }) => status === 'completed');
  });

  test('stays and fails as unknown where an earlier attempt may have left', async () => {
    const { owner, second } = await createPair(1);
    await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    const broken: Outcome = { kind: 'retry', waitMs: 0, reason: 'broke', uncertain: true };
    await turns.finish(await turns.claim(owner), [broken]);
    const again = await turns.claim(owner);
    await turns.finish(again, [classifyResult(DENIED, again.deliveries[0] ?? NO_EARLIER)]);
    expect(await rowsOf(owner)).toMatchObject([
      { account: owner.accountId, status: 'failed', error: 'outcome_unknown: Only admins may post', uncertain: true },
    ]);
    expect(await waysOf(owner, second)).toEqual([[true, true]]);
  });

  test('stays where its turn was taken over, and where a member has received it meanwhile', async () => {
    const { owner, second } = await createPair(2);
    await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    const lost = await turns.claim(owner, { batch: 1 });
    await turns.takeOver(owner);
    await turns.finish(lost, [denied]);
    expect(await rowsOf(owner)).toMatchObject([
      { account: owner.accountId, status: 'queued', uncertain: true },
      { account: owner.accountId, status: 'queued' },
    ]);
    const { owner: other } = await createPair(1);
    await sendNow(database.db, other);
    const turn = await turns.claim(other);
    await execute(database.db)`update deliveries set delivered = 1 where workspace_id = ${other.workspaceId}`;
    await turns.finish(turn, [denied]);
    expect(await rowsOf(other)).toMatchObject([{ account: other.accountId, status: 'sent' }]);
    expect(second).not.toBe(owner.accountId);
  });

  test('stays in the hands of the next turn of its account when an earlier turn ends late', async () => {
    const { owner } = await createPair(1);
    await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    const late = await turns.claim(owner);
    await database.db.transaction().execute((trx) => requeueLanes(trx, [owner.accountId], {}, { mayHaveLeft: false }));
    const next = await turns.claim(owner);
    await turns.finish(late, [denied]);
    expect(await rowsOf(owner)).toMatchObject([{ account: owner.accountId, status: 'queued', uncertain: false }]);
    expect(await waysOf(owner, owner.accountId)).toEqual([[true, true]]);
    await turns.finish(next, [sent]);
    expect(await rowsOf(owner)).toMatchObject([{ account: owner.accountId, status: 'sent' }]);
  });

  test('fails where another account is no member, or the post itself was refused', async () => {
    const { owner } = await createPair(2, [2]);
    await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.finish(await turns.claim(owner), [denied, failed]);
    expect(await rowsOf(owner)).toMatchObject([
      { account: owner.accountId, status: 'failed', error: 'Only admins may post', uncertain: false },
      { account: owner.accountId, status: 'failed', error: failed.kind === 'failed' ? failed.reason : '' },
    ]);
  });

  test('changes nothing when its finish is repeated', async () => {
    const { owner, second, lane } = await createPair(1);
    await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    const turn = await turns.claim(owner);
    await turns.finish(turn, [denied]);
    const [once] = await rowsOf(owner);
    const next = await turns.claim(lane);
    await turns.finish(turn, [denied]);
    expect(await rowsOf(owner)).toEqual([once]);
    expect(once).toMatchObject({ account: second });
    await turns.finish(next, [sent]);
  });
});

test.each<[string, SendResult, Partial<Extract<Outcome, { kind: 'failed' }>>]>([
  ['a refused place in the group', DENIED, { uncertain: false, isAccessDenied: true }],
  ['a refused post', { kind: 'refused', reason: 'too long', final: true }, { uncertain: false }],
  [
    'a post of which a part is there',
    { kind: 'refused', ...toOutcomeUnknown({ reason: 'a part' }), final: true },
    { uncertain: true, reason: 'outcome_unknown: a part', code: 'outcome_unknown' },
  ],
])('%s is a failure of its kind', (_what, result, expected) => {
  const outcome = classifyResult(result, NO_EARLIER);
  expect(outcome).toMatchObject({ kind: 'failed', ...expected });
  expect('isAccessDenied' in outcome).toBe(expected.isAccessDenied === true);
});
