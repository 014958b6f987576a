/** Attempts with an unknown outcome (contract §5), on messengers that drop repeated ids and on those that do not. */
import { execute, hasRow } from '../../../src/platform/database/statements.ts';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import type { Destination, SendResult } from '../../../src/messengers/messenger.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, analyticsWhen, createOwner, sendNow, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const messenger = scriptMessenger();
const database = await useTestDatabase();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());
afterEach(() => {
  messenger.arrivals.length = 0;
  messenger.answer = () => undefined;
  delete messenger.find;
});

const unknown: SendResult = { kind: 'unknown', reason: 'the line was cut' };

/** The messenger's answers, one after the other, then that it was sent. */
function answerInTurn(...results: Array<SendResult | undefined>) {
  const left = [...results];
  messenger.answer = () => left.shift();
}

/** Lets every wait for another try be over, until there is none. */
async function ended(owner: Owner, campaign: string) {
  for (;;) {
    const found = await analyticsWhen(
      database.db,
      owner,
      campaign,
      ({ totals, groups }) => totals.queued === 0 || groups.some((group) => group.lastError !== null),
    );
    if (found.totals.queued === 0) return found;
    const hasWaiting = await hasRow(database.db)`
      select from deliveries where workspace_id = ${owner.workspaceId} and not_before > campanile_now()`;
    if (hasWaiting) await database.clock.advance({ minutes: 20 });
    await execute(database.db)`select pg_notify('campanile_lanes', '')`;
  }
}

const messageIds = () => new Set(messenger.arrivals.map((arrival) => arrival.messageId));

test('repeats an attempt with an unknown outcome in a group with the same id and text', async () => {
  const owner = await createOwner(database.db, 1);
  answerInTurn(unknown, unknown);
  const campaign = await sendNow(database.db, owner);
  const { totals, groups } = await ended(owner, campaign);
  expect(totals).toMatchObject({ sent: 1, failed: 0 });
  expect(groups[0]?.lastError).toBeNull();
  expect(messenger.arrivals).toMatchObject([
    { uncertain: false, text: 'Hello' },
    { uncertain: true, text: 'Hello' },
    { uncertain: true, text: 'Hello' },
  ]);
  expect(messageIds().size).toBe(1);
});

test('fails with outcome_unknown in a group after the last attempt', async () => {
  const owner = await createOwner(database.db, 1);
  messenger.answer = () => unknown;
  const campaign = await sendNow(database.db, owner);
  const { totals, groups } = await ended(owner, campaign);
  expect(totals).toMatchObject({ sent: 0, failed: 1 });
  expect(groups[0]?.lastError).toMatch(/^outcome_unknown: the line was cut\. The post may have arrived\. /);
  expect(messenger.arrivals).toHaveLength(8);
});

describe('in a channel, where a repeat would be seen twice, an unknown try', () => {
  test('is recorded as sent if the post is there, and nothing leaves again', async () => {
    const owner = await createOwner(database.db, 1, 'channel');
    const looked: Destination[] = [];
    messenger.find = async (to) => {
      looked.push(to);
      return { recipients: 40 };
    };
    answerInTurn(unknown);
    const campaign = await sendNow(database.db, owner);
    const { totals } = await ended(owner, campaign);
    expect(totals).toMatchObject({ sent: 1, failed: 0, recipients: 40 });
    expect(messenger.arrivals).toHaveLength(1);
    expect(looked).toMatchObject([{ messageId: messenger.arrivals[0]?.messageId }]);
  });

  test('fails with outcome_unknown if the post is not there, and is not sent again', async () => {
    const owner = await createOwner(database.db, 2, 'channel');
    messenger.find = async () => null;
    answerInTurn(unknown);
    const campaign = await sendNow(database.db, owner);
    const { totals, groups } = await ended(owner, campaign);
    expect(totals).toMatchObject({ sent: 1, failed: 1 });
    expect(groups.map((group) => group.lastError)).toEqual([expect.stringMatching(/^outcome_unknown: /), null]);
    expect(messenger.arrivals).toHaveLength(2);
    expect(messageIds().size).toBe(2);
  });

  test('searches again while the posts cannot be read, and sends nothing meanwhile', async () => {
    const owner = await createOwner(database.db, 1, 'channel');
    let looks = 0;
    messenger.find = async () => {
      if (++looks < 3) throw new Error('try later');
      return { recipients: 40 };
    };
    answerInTurn(unknown);
    const campaign = await sendNow(database.db, owner);
    expect((await ended(owner, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(messenger.arrivals).toHaveLength(1);
    messenger.find = () => Promise.reject(new Error('try later'));
    answerInTurn(unknown);
    const never = await sendNow(database.db, owner);
    const { groups } = await ended(owner, never);
    expect(groups[0]?.lastError).toMatch(/^outcome_unknown: the recent posts could not be read: try later\. /);
    expect(messenger.arrivals).toHaveLength(2);
  });

  test('is proven sent by a reaction, also after it has failed', async () => {
    const owner = await createOwner(database.db, 1, 'channel');
    messenger.find = async () => null;
    answerInTurn(unknown);
    const campaign = await sendNow(database.db, owner);
    await ended(owner, campaign);
    const [arrival] = messenger.arrivals;
    const at = new Date();
    const tally = { accountId: owner.accountId, messageId: arrival?.messageId ?? '', views: 0, reactions: 1, at };
    await messenger.emit([{ kind: 'tally', ...tally }]);
    const { totals, campaign: head } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ sent: 1, failed: 0, reactions: 1 });
    expect(head.status).toBe('completed');
  });

  test('is sent again when its owner retries it and it is still not there', async () => {
    const owner = await createOwner(database.db, 1, 'channel');
    messenger.find = async () => null;
    answerInTurn(unknown);
    const campaign = await sendNow(database.db, owner);
    await ended(owner, campaign);
    await retryCampaign(database, owner, campaign);
    const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect(messenger.arrivals).toHaveLength(2);
    expect(messageIds().size).toBe(1);
  });

  test('is not sent a third time if the retry is unknown too, or the post was there', async () => {
    const owner = await createOwner(database.db, 1, 'channel');
    messenger.find = async () => null;
    answerInTurn(unknown, { kind: 'refused', reason: 'busy', final: false }, unknown);
    const campaign = await sendNow(database.db, owner);
    await ended(owner, campaign);
    await retryCampaign(database, owner, campaign);
    await analyticsWhen(
      database.db,
      owner,
      campaign,
      ({ groups }) => groups[0]?.lastError?.startsWith('busy') ?? false,
    );
    const { totals, groups } = await ended(owner, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    expect(groups[0]?.lastError).toMatch(/^outcome_unknown/);
    expect(messenger.arrivals).toHaveLength(2);

    messenger.find = async () => ({ recipients: 40 });
    await retryCampaign(database, owner, campaign);
    const found = await analyticsWhen(database.db, owner, campaign, ({ totals: now }) => now.queued === 0);
    expect(found.totals).toMatchObject({ sent: 1, failed: 0 });
    expect(messenger.arrivals).toHaveLength(2);
  });
});
