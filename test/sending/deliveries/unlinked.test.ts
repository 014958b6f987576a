/** An account that is not linked to its messaging application is left alone until it is. */
import { readCount } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { recordState } from '../../../src/sending/sessions/record-state.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { claimRevisions } from '../../../src/sending/deliveries/claim-revisions.ts';
import { finishRevision } from '../../../src/sending/deliveries/finish-revision.ts';
import type { SessionState } from '../../../src/messengers/messenger.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, sendNow, type Owner } from '../../support/ledger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

let owner: Owner;
const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);
beforeEach(async () => {
  owner = await createOwner(database.db, 2);
});

const NOT_THERE = { kind: 'snooze', cooldownMs: 5_000 } as const;

async function workerId(): Promise<number> {
  return readCount(database.db)`select worker_id as id from workers`;
}
const record = async (state: SessionState) =>
  recordState(database.db, { accountId: owner.accountId, workerId: await workerId(), state });
const unlink = () => record({ status: 'unlinked', reason: null });
const link = () => record({ status: 'connected' });

describe('an account that is not linked', () => {
  test('takes a turn every 15 minutes, and at once when it is linked', async () => {
    await sendNow(database.db, owner);
    await unlink();
    for (let looks = 0; looks < 2; looks++) {
      await turns.finish(await turns.claim(owner, { batch: 1 }), [NOT_THERE]);
      await database.clock.advance({ minutes: 14 });
      expect(await turns.tryClaim(owner)).toBeUndefined();
      await database.clock.advance({ minutes: 2 });
    }
    await turns.finish(await turns.claim(owner, { batch: 1 }), [NOT_THERE]);
    await link();
    expect(await turns.tryClaim(owner)).toBeDefined();
  });

  test('goes on soon if it was linked while a turn was in hand', async () => {
    await sendNow(database.db, owner);
    await unlink();
    const turn = await turns.claim(owner, { batch: 1 });
    await link();
    await turns.finish(turn, [NOT_THERE]);
    await database.clock.advance(5_100);
    expect(await turns.tryClaim(owner)).toBeDefined();
  });

  test('attempts a recall every 15 minutes, too', async () => {
    const campaign = await sendNow(database.db, owner);
    await turns.drain(owner, () => sent);
    await unlink();
    await recallCampaign(database, owner, { campaignId: campaign, runId: null });
    const claim = async () => {
      const options = { workerId: await workerId(), batch: 10, paced: [] };
      return (await claimRevisions(database.db, [owner.accountId], options)).turns[0];
    };
    const turn = await claim();
    if (!turn) throw new Error('there was no turn to claim');
    const outcomes = turn.posts.map(() => ({ kind: 'retry', waitMs: 0, tries: 0 }) as const);
    await finishRevision(database.db, turn, outcomes, { gapMs: 0, cooldownMs: NOT_THERE.cooldownMs });
    await database.clock.advance({ minutes: 14 });
    expect(await claim()).toBeUndefined();
    await link();
    expect(await claim()).toBeDefined();
  });
});
