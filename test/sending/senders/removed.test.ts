/** Posts of an account that was removed: a retry gives them to another account if they surely have not left. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import { removeAccount } from '../../../src/sending/accounts/remove-account.ts';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { deleteCampaign } from '../../../src/sending/campaigns/change/delete-campaign.ts';
import { pinCampaign, unpinCampaign } from '../../../src/sending/campaigns/change/pin-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { checkLanes } from '../../../src/operations/doctor/check-failures.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, convert, createOwner, sendNow, type Owner } from '../../support/ledger.ts';
import { addAccount, banAccount, setSenders } from '../../support/several-accounts.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';
import type { Outcome } from '../../../src/sending/deliveries/outcome.ts';

const database = await useTestDatabase();

const unknown: Outcome = { kind: 'failed', reason: 'outcome_unknown: no answer', uncertain: true };

/** A campaign whose posts the second account was to send, with these outcomes. */
async function createFailed(outcomes: Outcome[]) {
  const owner = await createOwner(database.db, outcomes.length);
  const second = await addAccount(database.db, owner);
  await setSenders(database.db, owner, [second]);
  const campaign = await sendNow(database.db, owner);
  const turns = await takeTurnsByHand(database.db);
  await turns.finish(await turns.claim({ ...owner, accountId: second }), outcomes);
  return { owner, second, campaign, turns };
}

async function remove(owner: Owner, accountId: AccountId): Promise<void> {
  await execute(database.db)`update accounts set status = 'unlinked' where account_id = ${accountId}`;
  await removeAccount(database, owner, accountId);
}

const retry = (owner: Owner, campaign: string, acceptDuplicates = false) =>
  retryCampaign({ db: database.db }, owner, campaign, { acceptDuplicates });

async function rowsOf(owner: Owner) {
  const rows = await readRows<{ account: AccountId; status: string; error: string | null; messageId: string }>(
    database.db,
  )`
    select account_id as account, status, error, message_id as "messageId" from deliveries
    where workspace_id = ${owner.workspaceId} order by position`;
  return rows;
}

describe('a retry', () => {
  test('gives posts of a removed account that surely have not left to another account, with ids of its own', async () => {
    const { owner, second, campaign, turns } = await createFailed([failed, failed, sent]);
    const before = await rowsOf(owner);
    await remove(owner, second);
    await retry(owner, campaign);
    const after = await rowsOf(owner);
    expect(after).toMatchObject([
      { account: owner.accountId, status: 'queued' },
      { account: owner.accountId, status: 'queued' },
      { account: second, status: 'sent' },
    ]);
    expect(new Set([...before, ...after].map(({ messageId }) => messageId)).size).toBe(5);
    await turns.drain(owner, () => sent);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
  });

  test('leaves failed what the removed account may have sent, with the reason', async () => {
    const { owner, second, campaign, turns } = await createFailed([unknown, failed]);
    await remove(owner, second);
    await retry(owner, campaign);
    await turns.drain(owner, () => sent);
    expect(await rowsOf(owner)).toMatchObject([
      {
        account: second,
        status: 'failed',
        error: expect.stringMatching(/^outcome_unknown: The account .* was removed/),
      },
      { account: owner.accountId, status: 'sent' },
    ]);
    await expect(retry(owner, campaign)).rejects.toMatchObject({ code: 'sender_removed' });
    await analyticsWhen(
      database.db,
      owner,
      campaign,
      ({ campaign: { status }, totals }) => status === 'completed_with_errors' && totals.failed === 1,
    );
  });

  test.each([
    ['removed', remove],
    ['banned', (_: Owner, accountId: AccountId) => banAccount(database.db, accountId)],
  ])('gives what a %s account may have sent to another one if asked to, with ids of its own', async (_, end) => {
    const { owner, second, campaign, turns } = await createFailed([unknown, failed]);
    const before = await rowsOf(owner);
    await end(owner, second);
    await retry(owner, campaign, true);
    await turns.drain(owner, () => sent);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    const after = await rowsOf(owner);
    expect(after).toMatchObject([{ account: owner.accountId }, { account: owner.accountId }]);
    expect(new Set([...before, ...after].map(({ messageId }) => messageId)).size).toBe(4);
  });

  test('leaves what a linked account may have sent with it, also if duplicates are accepted', async () => {
    const { owner, second, campaign } = await createFailed([unknown, failed]);
    await setSenders(database.db, owner, [owner.accountId]);
    await retry(owner, campaign, true);
    expect(await rowsOf(owner)).toMatchObject([{ account: second }, { account: owner.accountId }]);
  });

  test('chooses the account anew while all are there, but for what may have left', async () => {
    const { owner, second, campaign } = await createFailed([unknown, failed]);
    await setSenders(database.db, owner, [owner.accountId]);
    await retry(owner, campaign);
    expect(await rowsOf(owner)).toMatchObject([
      { account: second, status: 'queued' },
      { account: owner.accountId, status: 'queued' },
    ]);
  });

  test('leaves with their account the posts of the run that wait already', async () => {
    const owner = await createOwner(database.db, 2);
    const second = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [second]);
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.finish(await turns.claim({ ...owner, accountId: second }, { batch: 1 }), [failed]);
    await setSenders(database.db, owner, [owner.accountId]);
    await retry(owner, campaign);
    expect(await rowsOf(owner)).toMatchObject([{ account: owner.accountId }, { account: second }]);
  });
});

describe('an account', () => {
  test.each([
    ['recall', (owner: Owner, campaignId: string) => recallCampaign(database, owner, { campaignId, runId: null })],
    [
      'pin',
      (owner: Owner, campaignId: string) => pinCampaign(database, owner, { campaignId, runId: null, seconds: 86_400 }),
    ],
  ])('is not removed while it has a %s to carry out', async (_, request) => {
    const { owner, second, campaign } = await createFailed([sent]);
    await request(owner, campaign);
    await expect(remove(owner, second)).rejects.toMatchObject({ code: 'account_busy' });
  });
});

test('an account is not removed with a turn in hand, also if its campaign was cancelled', async () => {
  const owner = await createOwner(database.db, 1);
  const second = await addAccount(database.db, owner);
  await setSenders(database.db, owner, [second]);
  const campaign = await sendNow(database.db, owner);
  const turns = await takeTurnsByHand(database.db);
  const turn = await turns.claim({ ...owner, accountId: second });
  await cancelCampaign(database, owner, campaign);
  await expect(remove(owner, second)).rejects.toMatchObject({ code: 'account_busy' });
  await turns.finish(turn, [sent]);
  await remove(owner, second);
  expect(await rowsOf(owner)).toMatchObject([{ account: second, status: 'sent' }]);
});

describe('of a post that a removed account sent', () => {
  interface Changed {
    wanted: string | null;
    error: string | null;
  }
  const changed = async (owner: Owner, table: 'revisions' | 'pins') =>
    await readRows<Changed>(database.db)`
        select wanted, failure ->> 'error' as error from ${sql.table(table)} where workspace_id = ${owner.workspaceId} order by position`;
  const GONE = { wanted: null, error: expect.stringMatching(/^The account that sent this post was removed/) };

  /** Two posts: the account that sent the first was removed since. */
  async function createSent() {
    const owner = await createOwner(database.db, 2);
    const second = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [second], owner.groupIds[0]);
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.drain({ ...owner, accountId: second }, () => sent);
    await turns.drain(owner, () => sent);
    return { owner, second, campaign };
  }

  test('a recall ends at once with the reason, and the others are recalled', async () => {
    const { owner, second, campaign } = await createSent();
    await remove(owner, second);
    expect(await recallCampaign(database, owner, { campaignId: campaign, runId: null })).toMatchObject({ groups: 1 });
    expect(await changed(owner, 'revisions')).toMatchObject([GONE, { wanted: 'recall', error: null }]);
    const { groups } = await analyticsWhen(database.db, owner, campaign, () => true);
    expect(groups[0]?.lastError).toMatch(/^The account that sent this post was removed/);
  });

  test('a correction ends at once, and the campaign can be deleted when no other is left', async () => {
    const { owner, campaign, turns, second } = await createFailed([sent, sent]);
    await turns.drain(owner, () => sent);
    await remove(owner, second);
    const correction = { campaignId: campaign, runId: null, html: 'Better' };
    const corrected = await correctCampaign({ db: database.db, convert }, owner, correction);
    expect(corrected).toMatchObject({ groups: 0 });
    expect(await changed(owner, 'revisions')).toMatchObject([GONE, GONE]);
    await deleteCampaign(database, owner, campaign);
  });

  test('a pin ends at once, and so does taking it off', async () => {
    const { owner, second, campaign } = await createSent();
    await pinCampaign(database, owner, { campaignId: campaign, runId: null, seconds: 86_400 });
    await execute(database.db)`update pins set wanted = null, pinned_until = campanile_now() + interval '1 day'
              where workspace_id = ${owner.workspaceId}`;
    await remove(owner, second);
    await unpinCampaign(database, owner, { campaignId: campaign, runId: null });
    expect(await changed(owner, 'pins')).toMatchObject([GONE, { wanted: 'unpin', error: null }]);
    await pinCampaign(database, owner, { campaignId: campaign, runId: null, seconds: 86_400 });
    expect(await changed(owner, 'pins')).toMatchObject([GONE, { wanted: 'pin', error: null }]);
  });
});

describe('a delivery that waits for an account without a lane', () => {
  const refusal = /a delivery would wait for an account that was removed/;

  test('cannot be written: neither by removing the account nor by queueing the delivery', async () => {
    const { owner, second } = await createFailed([failed]);
    const other = await createFailed([failed]);
    await retry(other.owner, other.campaign);
    const { db } = database;
    await expect(sql`delete from lanes where account_id = ${other.second}`.execute(db)).rejects.toThrow(refusal);
    await remove(owner, second);
    const queue = sql`update deliveries set status = 'queued' where workspace_id = ${owner.workspaceId}`;
    await expect(queue.execute(db)).rejects.toThrow(refusal);
    expect(await checkLanes(db)).toEqual([]);
  });

  test('is found by the doctor', async () => {
    const { owner, second, campaign } = await createFailed([failed, failed]);
    await retry(owner, campaign);
    await execute(database.db)`update accounts set removed_at = campanile_now() where account_id = ${second}`;
    expect(await checkLanes(database.db)).toMatchObject([
      { level: 'error', message: `2 posts of workspace ${owner.workspaceId} wait for an account that was removed` },
    ]);
  });
});
