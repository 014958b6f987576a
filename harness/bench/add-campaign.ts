/** How long it takes to accept a campaign to 10,000 groups, beside writing the same rows and nothing else; with two accounts beside one. */
import { execute } from '../../src/platform/database/statements.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createOwner, sendNow } from '../../test/support/ledger.ts';
import { addAccount, setSenders } from '../../test/support/several-accounts.ts';
import { giveValues, HTML_WITH_FIELDS } from './support/deliveries.ts';
import { startCluster } from './support/cluster.ts';
import { measureInTurn, timeMs } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { count, timesRow } from './support/table.ts';

const REACH = 2;

export async function benchAddCampaign({ pick, report }: Bench): Promise<void> {
  const groups = pick(10_000, 10_000, 100);
  const what = `add-campaign to ${count(groups)} groups, `;
  await using cluster = await startCluster();
  await cluster.withDatabase(async ({ db }) => {
    await migrate(db, cluster.log);
    const owner = await createOwner(db, groups);
    const several = await createOwner(db, groups);
    await setSenders(db, several, [await addAccount(db, several)]);
    const varied = await createOwner(db, groups);
    await giveValues(db, varied);
    const bare = await createOwner(db, groups);
    let run = 0;
    const insert = () => execute(db)`
      insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id)
      select workspace_id, ${bare.accountId}, ${run++}, row_number() over (order by group_id), group_id,
             '3EB0' || upper(left(replace(gen_random_uuid()::text, '-', ''), 18))
      from groups where workspace_id = ${bare.workspaceId}`;
    await report(what, async () => {
      const { one, two, fields, bareMs } = await measureInTurn(
        {
          one: () => timeMs(() => sendNow(db, owner)),
          two: () => timeMs(() => sendNow(db, several)),
          fields: () => timeMs(() => sendNow(db, varied, varied.groupIds, HTML_WITH_FIELDS, true)),
          bareMs: () => timeMs(insert),
        },
        { rounds: pick(15, 5, 1), unit: ' ms' },
      );
      return [
        timesRow(`${what}p50`, one, ['INSERT … SELECT', bareMs], REACH),
        timesRow(`${what}three fields in the post, p50`, fields, ['without fields', one], REACH),
        timesRow(`${what}sent by the second of two accounts, p50`, two, ['one account', one], REACH),
      ];
    });
  });
}
