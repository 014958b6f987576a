/** Which accounts send nothing although something is due, why, and when somebody is told. */
import { execute, readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { countWaiting } from '../../../src/sending/accounts/count-accounts.ts';
import { setAccountsDisabled } from '../../../src/sending/accounts/disable-accounts.ts';
import { readBacklog } from '../../../src/sending/deliveries/read-backlog.ts';
import { recordWaits } from '../../../src/sending/senders/watch-waits.ts';
import { STATE_REASONS } from '../../../src/platform/errors/account-states.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();
await database.clock.set('2031-03-03T09:00:00Z');
afterEach(() => execute(database.db)`truncate runs, events cascade`);

/** Minutes pass, in which the loop looks once a minute, and a worker is alive. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await database.clock.advance({ minutes: 1 });
    await execute(database.db)`update workers set beat_at = campanile_now()`;
    await recordWaits(database.db, EVERY_SHARD, 'UTC');
  }
}

async function told({ workspaceId }: Owner): Promise<Array<Record<string, unknown>>> {
  return readColumn<Record<string, unknown>>(database.db)`
    select data from events where workspace_id = ${workspaceId} and type = 'account.waiting'`;
}

const setStatus = ({ accountId }: Owner, status: string) =>
  execute(database.db)`update accounts set status = ${status}::account_status where account_id = ${accountId}`;
const waiting = async () => {
  const { byReason } = await countWaiting(database.db);
  return Object.fromEntries([...byReason].filter(([, count]) => count > 0));
};

/** An owner of whose campaign one post of three has left. */
async function beginCampaign(): Promise<Owner> {
  const turns = await takeTurnsByHand(database.db);
  const owner = await createOwner(database.db, 3);
  await sendNow(database.db, owner);
  await turns.finish(await turns.claim(owner, { batch: 1 }), [sent], 0);
  return owner;
}

describe('an account that sends nothing in the middle of a campaign', () => {
  test('is told of once after a quarter of an hour, and counted by what keeps it', async () => {
    const owner = await beginCampaign();
    await setStatus(owner, 'reconnecting');
    await pass(14);
    expect([await told(owner), await waiting()]).toEqual([[], {}]);
    await pass(3);
    expect(await told(owner)).toEqual([
      {
        account_id: owner.accountId,
        name: null,
        status: 'reconnecting',
        waits_for: 'offline',
        external_id: null,
        metadata: {},
        down_since: expect.stringMatching(/^2031-03-03T09:/),
      },
    ]);
    expect(await waiting()).toEqual({ offline: 1 });
    await pass(30);
    expect(await told(owner)).toHaveLength(1);
    await setStatus(owner, 'connected');
    await execute(database.db)`update runs set progress_at = campanile_now()`;
    await recordWaits(database.db, EVERY_SHARD, 'UTC');
    expect(await waiting()).toEqual({});
  });

  test('is told of by the code of its state: a version that WhatsApp refuses is no outage', async () => {
    const owner = await beginCampaign();
    await execute(database.db)`
      update accounts set status = 'reconnecting', status_reason = ${STATE_REASONS.version_refused}
      where account_id = ${owner.accountId}`;
    await pass(17);
    expect(await told(owner)).toMatchObject([{ status: 'reconnecting', waits_for: 'version_refused' }]);
  });

  test('is told of although it is connected', async () => {
    const owner = await beginCampaign();
    await pass(17);
    expect(await told(owner)).toMatchObject([{ status: 'connected', waits_for: 'unexplained' }]);
  });

  test('is not told of while its pace, a rule, or the disabling of its owner explains it', async () => {
    const owner = await beginCampaign();
    await execute(database.db)`
      update lanes set next_send_at = campanile_now() + interval '20 minutes' where account_id = ${owner.accountId}`;
    await pass(17);
    expect([await told(owner), await waiting()]).toEqual([[], {}]);
    await execute(database.db)`
      update accounts set quiet_from = '00:00', quiet_to = '23:00' where account_id = ${owner.accountId}`;
    await pass(20);
    expect([await told(owner), await waiting()]).toEqual([[], { quiet_hours: 1 }]);
    await execute(database.db)`update accounts set quiet_from = null, quiet_to = null`;
    await database.db.transaction().execute((trx) => setAccountsDisabled(trx, owner.workspaceId, true));
    await pass(20);
    expect([await told(owner), await waiting()]).toEqual([[], { disabled: 1 }]);
    // What kept it before explains nothing of what follows.
    await database.db.transaction().execute((trx) => setAccountsDisabled(trx, owner.workspaceId, false));
    await setStatus(owner, 'reconnecting');
    await pass(10);
    expect([await told(owner), await waiting()]).toEqual([[], {}]);
    await pass(7);
    expect(await told(owner)).toMatchObject([{ waits_for: 'offline' }]);
  });
});

test('a run that cannot begin is told of, too', async () => {
  await takeTurnsByHand(database.db);
  const { due: before } = await countWaiting(database.db);
  const owner = await createOwner(database.db, 1);
  await setStatus(owner, 'unlinked');
  await schedule(database.db, owner, { startDate: '2031-03-05', endDate: '2031-03-05', time: '09:00:00' });
  await database.clock.set('2031-03-05T09:00:00Z');
  await pass(17);
  expect(await told(owner)).toMatchObject([{ status: 'unlinked', waits_for: 'not_linked' }]);
  // It is one of the accounts with something to send.
  const { byReason, due } = await countWaiting(database.db);
  expect([byReason.get('not_linked'), due - before]).toEqual([1, 1]);
});

describe('a run of which nothing was tried', () => {
  const late = async ({ workspaceId }: Owner) => {
    const rows = await readRows(database.db)`
      select from events where workspace_id = ${workspaceId} and type = 'campaign.late'`;
    return rows.length;
  };

  /** An owner whose campaign has begun. */
  async function begin(): Promise<Owner> {
    const owner = await createOwner(database.db, 3);
    await sendNow(database.db, owner);
    return owner;
  }

  test('is late after a minute, once, whatever became of its account since it began', async () => {
    await takeTurnsByHand(database.db);
    const owner = await begin();
    await setStatus(owner, 'reconnecting');
    await recordWaits(database.db, EVERY_SHARD, 'UTC');
    expect(await late(owner)).toBe(0);
    await pass(2);
    expect([await late(owner), (await readBacklog(database.db)).late]).toEqual([1, 1]);
    await pass(3);
    expect(await late(owner)).toBe(1);
  });

  test('is not late once something was tried, whatever waits after that', async () => {
    const turns = await takeTurnsByHand(database.db);
    const [sending, retrying] = [await begin(), await begin()];
    await turns.finish(await turns.claim(sending, { batch: 1 }), [sent]);
    await turns.finish(await turns.claim(retrying, { batch: 1 }), [
      { kind: 'retry', waitMs: 600_000, reason: 'busy', uncertain: false },
    ]);
    await pass(5);
    expect([await late(sending), await late(retrying), (await readBacklog(database.db)).late]).toEqual([0, 0, 0]);
  });

  test('is not late while a rule keeps it, while its account sends something else, or while it is tried', async () => {
    const turns = await takeTurnsByHand(database.db);
    const [quiet, capped, paced, inHand] = [await begin(), await begin(), await begin(), await begin()];
    await execute(database.db)`
      update accounts set quiet_from = '00:00', quiet_to = '23:59' where account_id = ${quiet.accountId}`;
    await execute(database.db)`update accounts set daily_cap = 1 where account_id = ${capped.accountId}`;
    await execute(database.db)`
      update lanes set sent_slot = quarter_hour(campanile_now()), sent_in_slot = 1 where account_id = ${capped.accountId}`;
    await execute(database.db)`
      update lanes set next_send_at = campanile_now() + interval '5 minutes' where account_id = ${paced.accountId}`;
    await turns.claim(inHand);
    await pass(4);
    expect(await Promise.all([quiet, capped, paced, inHand].map(late))).toEqual([0, 0, 0, 0]);
    await pass(4);
    expect(await Promise.all([quiet, capped, paced].map(late))).toEqual([0, 0, 1]);
  });
});
