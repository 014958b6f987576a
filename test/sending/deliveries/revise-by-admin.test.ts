/** Recalls and pins of posts whose account cannot do it: by an admin of the group, once. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import { removeAccount } from '../../../src/sending/accounts/remove-account.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { pinCampaign, unpinCampaign } from '../../../src/sending/campaigns/change/pin-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { claimRevisions, type RevisionTurn } from '../../../src/sending/deliveries/claim-revisions.ts';
import { handOverRevisions } from '../../../src/sending/deliveries/choose-reviser.ts';
import { finishRevision, type RevisionOutcome } from '../../../src/sending/deliveries/finish-revision.ts';
import { inLedger } from '../../../src/sending/accounts/store.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  convert,
  createOwner,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';
import { addAccount, banAccount, setSenders } from '../../support/several-accounts.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

let messenger: ScriptedMessenger;
let worker: Worker | undefined;
const database = await useTestDatabase();
beforeEach(() => {
  messenger = scriptMessenger();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

const REFUSED = { kind: 'refused', reason: 'Only admins may', final: true, isAccessDenied: true } as const;
const DENIED: RevisionOutcome = { kind: 'failed', reason: 'Only admins may', isAccessDenied: true };
const NO_PAUSE = { gapMs: 0, cooldownMs: 0 };

async function work(): Promise<void> {
  worker = await startTestWorker(database, messenger);
}

const makeAdmin = (accountId: AccountId, isAdmin = true) =>
  execute(database.db)`update group_accounts set is_admin = ${isAdmin} where account_id = ${accountId}`;

/** Two posts that the second account has sent; the default account and a third one are admins of the groups. */
async function createSent() {
  const owner = await createOwner(database.db, 2);
  const sender = await addAccount(database.db, owner);
  const third = await addAccount(database.db, owner);
  for (const accountId of [owner.accountId, third]) await makeAdmin(accountId);
  await setSenders(database.db, owner, [sender]);
  const campaign = await sendNow(database.db, owner);
  const turns = await takeTurnsByHand(database.db);
  await turns.drain({ ...owner, accountId: sender }, () => sent);
  return { owner, sender, third, campaign };
}

const recall = (owner: Owner, campaignId: string) => recallCampaign(database, owner, { campaignId, runId: null });
const pin = (owner: Owner, campaignId: string) =>
  pinCampaign(database, owner, { campaignId, runId: null, seconds: 86_400 });
const unpin = (owner: Owner, campaignId: string) => unpinCampaign(database, owner, { campaignId, runId: null });
const correct = (owner: Owner, campaignId: string) =>
  correctCampaign({ db: database.db, convert }, owner, { campaignId, runId: null, html: 'Better' });

interface Changed {
  account: AccountId;
  wanted: string | null;
  error: string | null;
}
const rowsOf = async ({ workspaceId }: Owner, table: 'revisions' | 'pins') =>
  await readRows<Changed>(database.db)`
      select account_id as account, wanted, failure ->> 'error' as error from ${sql.table(table)} where workspace_id = ${workspaceId} order by position`;
const isSettled = (rows: Changed[]) => rows.every(({ wanted }) => wanted === null);
const twice = (row: object) => [expect.objectContaining(row), expect.objectContaining(row)];

/** Which of these accounts have changed posts, and how, in order. What other tests have left is done, too. */
const changesBy = (...accounts: AccountId[]) =>
  messenger.changes
    .filter(({ accountId }) => accounts.includes(accountId))
    .map(({ accountId, kind }) => [accountId, kind]);

/** A turn that a worker takes, and never ends unless the test does. */
async function claim(accountId: AccountId): Promise<RevisionTurn | undefined> {
  const rows = await readRows<{ worker_id: number }>(database.db)`
    select worker_id from shards where shard = campanile_shard(${accountId})`;
  const claimed = { workerId: rows[0]?.worker_id ?? 0, batch: 500, paced: [] };
  return (await claimRevisions(database.db, [accountId], claimed)).turns[0];
}
async function mustClaim(accountId: AccountId): Promise<RevisionTurn> {
  const turn = await claim(accountId);
  if (!turn) throw new Error('there was no turn to claim');
  return turn;
}
const handOver = ({ workspaceId }: Owner, accountId: AccountId) =>
  inLedger(database.db, workspaceId, (trx) => handOverRevisions(trx, { workspaceId, accountId }));

describe('of a banned account', () => {
  test('posts are pinned, unpinned and recalled by the default account, an admin, which names the sender', async () => {
    const { owner, sender, third, campaign } = await createSent();
    await banAccount(database.db, sender);
    const named: unknown[] = [];
    messenger.answerChange = (_change, { sentBy }, accountId) => {
      if (accountId === owner.accountId) named.push(sentBy);
      return undefined;
    };
    await work();
    for (const request of [pin, unpin, recall]) {
      await request(owner, campaign);
      await until(() => rowsOf(owner, request === recall ? 'revisions' : 'pins'), isSettled);
    }
    const kinds = ['pin', 'pin', 'unpin', 'unpin', 'recall', 'recall'];
    expect(changesBy(owner.accountId, sender, third)).toEqual(kinds.map((kind) => [owner.accountId, kind]));
    expect(named).toEqual(kinds.map(() => sender));
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ recalled: 2 });
  });

  test('a correction stays with it, and a recall follows it to the admin', async () => {
    const { owner, sender, campaign } = await createSent();
    await banAccount(database.db, sender);
    await correct(owner, campaign);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'correct' }));
    await handOver(owner, sender);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'correct' }));
    await recall(owner, campaign);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: owner.accountId, wanted: 'recall' }));
    await work();
    await until(() => rowsOf(owner, 'revisions'), isSettled);
    const recalled = [owner.accountId, 'recall'];
    expect(changesBy(owner.accountId, sender)).toEqual([recalled, recalled]);
  });

  test('a later correction of what an admin could not recall is its own again', async () => {
    const { owner, sender, third, campaign } = await createSent();
    await makeAdmin(third, false);
    await banAccount(database.db, sender);
    await recall(owner, campaign);
    const turn = await mustClaim(owner.accountId);
    await finishRevision(
      database.db,
      turn,
      [
        { kind: 'failed', reason: 'no' },
        { kind: 'failed', reason: 'no' },
      ],
      NO_PAUSE,
    );
    await correct(owner, campaign);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'correct' }));
  });

  test.each([
    ['are no admins', makeAdminsOnly(false)],
    [
      'are admins of groups that they have left',
      () => execute(database.db)`update group_accounts set gone_at = campanile_now()`,
    ],
    ['of which it is not known', () => sql`update group_accounts set is_admin = null`.execute(database.db)],
  ])('a recall waits for it while the others %s', async (_, change) => {
    const { owner, sender, campaign } = await createSent();
    await change();
    await banAccount(database.db, sender);
    await recall(owner, campaign);
    await pin(owner, campaign).catch(() => undefined);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'recall' }));
    await handOver(owner, sender);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'recall' }));
  });

  test('an admin that is banned, too, is passed over', async () => {
    const { owner, sender, third, campaign } = await createSent();
    await banAccount(database.db, sender);
    await banAccount(database.db, owner.accountId);
    await pin(owner, campaign);
    expect(await rowsOf(owner, 'pins')).toEqual(twice({ account: third, wanted: 'pin' }));
  });
});

function makeAdminsOnly(isAdmin: boolean) {
  return () => execute(database.db)`update group_accounts set is_admin = ${isAdmin}`;
}

test('an account that is up does it itself, also where others are admins', async () => {
  const { owner, sender, campaign } = await createSent();
  await pin(owner, campaign);
  await recall(owner, campaign);
  for (const table of ['pins', 'revisions'] as const) {
    expect(await rowsOf(owner, table)).toEqual(twice({ account: sender }));
    await handOver(owner, sender);
    expect(await rowsOf(owner, table)).toEqual(twice({ account: sender }));
  }
});

describe('of a removed account', () => {
  test('posts are pinned, unpinned and recalled by an admin', async () => {
    const { owner, sender, third, campaign } = await createSent();
    await execute(database.db)`update accounts set status = 'unlinked' where account_id = ${sender}`;
    await removeAccount(database, owner, sender);
    await work();
    for (const request of [pin, unpin, recall]) {
      await request(owner, campaign);
      await until(() => rowsOf(owner, request === recall ? 'revisions' : 'pins'), isSettled);
    }
    const kinds = ['pin', 'pin', 'unpin', 'unpin', 'recall', 'recall'];
    expect(changesBy(owner.accountId, sender, third)).toEqual(kinds.map((kind) => [owner.accountId, kind]));
  });

  test('posts are corrected by nobody', async () => {
    const { owner, sender, campaign } = await createSent();
    await execute(database.db)`update accounts set status = 'unlinked' where account_id = ${sender}`;
    await removeAccount(database, owner, sender);
    await correct(owner, campaign);
    const error = expect.stringMatching(/^The account that sent this post was removed/);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ wanted: null, error }));
  });
});

describe('what waits for an account', () => {
  test('goes to an admin once it is down for the minutes of the workspace, and not before', async () => {
    const { owner, sender, campaign } = await createSent();
    await execute(database.db)`update workspaces set failover_minutes = 5 where workspace_id = ${owner.workspaceId}`;
    messenger.answerChange = (_change, _post, accountId) =>
      accountId === sender ? { kind: 'offline', reason: 'no network', cooldownMs: 50 } : undefined;
    await execute(database.db)`update accounts set status = 'reconnecting' where account_id = ${sender}`;
    await work();
    await recall(owner, campaign);
    await pin(owner, campaign).catch(() => undefined);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'recall' }));
    await handOver(owner, sender);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'recall' }));
    await database.clock.advance({ minutes: 5 });
    await until(() => rowsOf(owner, 'revisions'), isSettled);
    const recalled = [owner.accountId, 'recall'];
    expect(changesBy(owner.accountId, sender)).toEqual([recalled, recalled]);
  });

  test('stays with its turn in hand, and goes to the admin afterwards: it is done once, also if the sender comes back', async () => {
    const { owner, sender, campaign } = await createSent();
    await recall(owner, campaign);
    const turn = await mustClaim(sender);
    await execute(database.db)`update accounts set status = 'logged_out' where account_id = ${sender}`;
    await handOver(owner, sender);
    await recall(owner, campaign);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'recall' }));
    expect(await claim(owner.accountId)).toBeUndefined();
    const retry: RevisionOutcome = { kind: 'retry', waitMs: 0, tries: 0 };
    await finishRevision(database.db, turn, [{ kind: 'done' }, retry], NO_PAUSE);
    await handOver(owner, sender);
    const [first, second] = await rowsOf(owner, 'revisions');
    expect([first?.wanted, second]).toMatchObject([expect.anything(), { account: owner.accountId, wanted: 'recall' }]);
    const other = await mustClaim(owner.accountId);
    // The sender is back, and has nothing to do.
    await execute(database.db)`update accounts set status = 'connected' where account_id = ${sender}`;
    expect(await claim(sender)).toBeUndefined();
    await handOver(owner, owner.accountId);
    await finishRevision(
      database.db,
      other,
      other.posts.map(() => ({ kind: 'done' as const })),
      NO_PAUSE,
    );
    expect(isSettled(await rowsOf(owner, 'revisions'))).toBe(true);
    expect([await claim(sender), await claim(owner.accountId)]).toEqual([undefined, undefined]);
  });
});

describe('an account that may not', () => {
  test('leaves it to an admin, and is asked no more', async () => {
    const { owner, sender, third, campaign } = await createSent();
    await makeAdmin(owner.accountId, false);
    messenger.answerChange = (_change, _post, accountId) => (accountId === third ? undefined : REFUSED);
    await work();
    await pin(owner, campaign);
    await until(() => rowsOf(owner, 'pins'), isSettled);
    expect(await rowsOf(owner, 'pins')).toEqual(twice({ account: third, error: null }));
    expect(changesBy(owner.accountId, sender, third)).toEqual([
      [third, 'pin'],
      [third, 'pin'],
    ]);
    await recall(owner, campaign);
    await until(() => rowsOf(owner, 'revisions'), isSettled);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: third, error: null }));
  });

  test('is told the reason if no admin may either', async () => {
    const { owner, sender, third, campaign } = await createSent();
    const asked: AccountId[] = [];
    messenger.answerChange = (_change, _post, accountId) => {
      asked.push(accountId);
      return REFUSED;
    };
    await work();
    await pin(owner, campaign);
    await until(() => rowsOf(owner, 'pins'), isSettled);
    expect(await rowsOf(owner, 'pins')).toEqual(twice({ wanted: null, error: REFUSED.reason }));
    const times = (account: AccountId) => asked.filter((one) => one === account).length;
    // Two posts each. The sender may have been down before, and comes last.
    expect([sender, owner.accountId, third].map(times)).toEqual([4, 2, 2]);
    const rows = await readRows(database.db)`
      select from group_accounts m join accounts a using (account_id)
      where a.workspace_id = ${owner.workspaceId} and m.is_admin`;
    expect(rows).toEqual([]);
  });

  test('gives nothing away of a turn that it has lost, nor of a correction', async () => {
    const { owner, sender, campaign } = await createSent();
    await recall(owner, campaign);
    const lost = await mustClaim(sender);
    await execute(database.db)`
      update lanes set turn = turn + 1, in_hand_run_id = null, in_hand = null where account_id = ${sender}`;
    await finishRevision(database.db, lost, [DENIED, DENIED], NO_PAUSE);
    expect(await rowsOf(owner, 'revisions')).toEqual(twice({ account: sender, wanted: 'recall' }));
    const other = await createSent();
    await correct(other.owner, other.campaign);
    await finishRevision(database.db, await mustClaim(other.sender), [DENIED, DENIED], NO_PAUSE);
    const settled = { account: other.sender, wanted: null, error: DENIED.reason };
    expect(await rowsOf(other.owner, 'revisions')).toEqual(twice(settled));
  });
});
