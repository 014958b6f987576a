/** Cases of housekeeping: roll-ups, folding, deletion. */
import { execute, sql } from '../../../src/platform/database/statements.ts';
import { deleteCampaign } from '../../../src/sending/campaigns/change/delete-campaign.ts';
import { removeDeleted } from '../../../src/sending/campaigns/change/remove-deleted.ts';
import { compactOldCampaigns } from '../../../src/sending/campaigns/roll-up/compact-old-campaigns.ts';
import { sumMinutes } from '../../../src/sending/campaigns/roll-up/roll-up-minutes.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { updateActivity } from '../../../src/sending/groups/update-activity.ts';
import { startHousekeeping } from '../../../src/operations/housekeeping.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { deleteOldMessages } from '../../../src/messengers/whatsapp/send/sent-messages.ts';
import { clearExpiredTokens } from '../../../src/identity/store.ts';
import { foldReceipts } from '../../../src/sending/receipts/fold-receipts.ts';
import { sendNow, until, type Owner } from '../../support/ledger.ts';
import { sent } from '../../support/turns.ts';
import { finds, idsOf, ofAccount, ofUser, ofWorkspace, type Case, type Scene } from './cases.ts';

const log = createLog('silent');

async function sendAndDrain(scene: Scene, owners: readonly Owner[], daysAgo: number): Promise<string[]> {
  const campaigns: string[] = [];
  for (const owner of owners) {
    campaigns.push(await sendNow(scene.db, owner));
    await scene.turns.drain(owner, () => sent);
  }
  await scene.database.clock.advance({ days: daysAgo });
  return campaigns;
}

async function sumAll({ db }: Scene): Promise<void> {
  await until(() => rollUpRuns(db), false);
}

async function dropReceipts({ db }: Scene): Promise<void> {
  await until(() => foldReceipts(db), false);
}

const isGone =
  (table: string, owner: 'accountId' | 'workspaceId' | 'userId', column: string) =>
  async ({ db }: Scene, who: Owner) =>
    !(await finds(db, sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${who[owner]}`));

export const UPKEEP: Case[] = [
  {
    batch: 'sums',
    poison: ofWorkspace('group_sums'),
    prepare: async (scene, owners) => void (await sendAndDrain(scene, owners, 2)),
    step: ({ db }) => rollUpRuns(db, undefined, log),
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from runs where workspace_id = ${workspaceId} and summed = expanded`),
  },
  {
    batch: 'activity',
    poison: ofWorkspace('group_activity'),
    async prepare(scene, owners) {
      await sendAndDrain(scene, owners, 2);
      await sumAll(scene);
    },
    step: ({ db }) => updateActivity(db, undefined, log),
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from runs where workspace_id = ${workspaceId} and in_activity = expanded`),
  },
  {
    batch: 'sums of minutes',
    poison: ofWorkspace('time_sums'),
    async prepare(scene, owners) {
      await sendAndDrain(scene, owners, 2);
      await sumAll(scene);
    },
    step: ({ db }) => sumMinutes(db, undefined, log),
    isDone: isGone('run_minutes', 'workspaceId', 'workspace_id'),
  },
  {
    batch: 'old campaigns',
    poison: ofWorkspace('deliveries'),
    async prepare(scene, owners) {
      await sendAndDrain(scene, owners, 401);
      await sumAll(scene);
      await dropReceipts(scene);
    },
    step: ({ db }) => compactOldCampaigns(db, 400, log),
    isDone: isGone('deliveries', 'accountId', 'account_id'),
  },
  {
    batch: 'deleted campaigns',
    poison: ofWorkspace('deliveries'),
    async prepare(scene, owners) {
      const campaigns = await sendAndDrain(scene, owners, 0);
      for (const [index, owner] of owners.entries())
        await deleteCampaign({ db: scene.db }, owner, campaigns[index] ?? '');
    },
    step: ({ db }) => removeDeleted(db, log),
    isDone: isGone('deliveries', 'accountId', 'account_id'),
  },
  {
    batch: 'old receipts',
    poison: ofWorkspace('runs'),
    prepare: async (scene, owners) => void (await sendAndDrain(scene, owners, 91)),
    step: ({ db }) => foldReceipts(db, log),
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from runs where workspace_id = ${workspaceId} and receipts_dropped`),
  },
  {
    batch: 'unused media',
    poison: ofWorkspace('media'),
    async prepare({ db, database }, owners) {
      for (const { workspaceId } of owners)
        await execute(db)`
          insert into media (workspace_id, sha256, mime, size, bytes) values (${workspaceId}, 'x', 'image/png', 1, 'x')`;
      await database.clock.advance({ days: 2 });
    },
    step: ({ db }) => dropUnusedMedia(db, 0, undefined, log),
    isDone: isGone('media', 'workspaceId', 'workspace_id'),
  },
  {
    batch: 'old rows of workspaces',
    poison: ofWorkspace('audit_log'),
    async prepare({ database }, owners) {
      for (const { workspaceId, userId } of owners)
        await execute(database.db)`
          insert into audit_log (workspace_id, user_id, action, subject, address)
          values (${workspaceId}, ${userId}, 'test', 'test', '192.0.2.1')`;
      await database.clock.advance({ days: 370 });
    },
    async start({ db }) {
      const house = startHousekeeping({ db, log, everyMs: 50 });
      return () => house.stop();
    },
    isDone: isGone('audit_log', 'workspaceId', 'workspace_id'),
  },
  {
    batch: 'old rows of users',
    poison: ofUser('signed_out_tokens'),
    async prepare({ database }, owners) {
      for (const { userId } of owners)
        await execute(database.db)`
          insert into signed_out_tokens (user_id, token_id, expires_at) values (${userId}, 'token', campanile_now())`;
      await database.clock.advance({ days: 1 });
    },
    step: (scene) => clearExpiredTokens({ ...scene, log }),
    isDone: isGone('signed_out_tokens', 'userId', 'user_id'),
  },
  {
    batch: 'old rows of accounts',
    poison: ofAccount('whatsapp_sent'),
    async prepare({ db, database }, owners) {
      await execute(db)`
        insert into whatsapp_sent (account_id, message_id, chat_id, post_hash, sent_at)
        select id, 'm' || id, 'c', 'x', campanile_now() from unnest(${idsOf(owners)}::bigint[]) i (id)`;
      await database.clock.advance({ days: 60 });
    },
    step: ({ db }) => deleteOldMessages(db, log),
    isDone: isGone('whatsapp_sent', 'accountId', 'account_id'),
  },
];
