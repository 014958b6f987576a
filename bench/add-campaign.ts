/** How long it takes to accept a campaign to 10,000 groups, beside writing the same rows and nothing else; with two accounts beside one. */
import { execute } from '../src/platform/database/statements.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { createOwner, sendNow } from '../test/support/ledger.ts';
import { addAccount, setSenders } from '../test/support/several-accounts.ts';
import { startCluster } from './support/cluster.ts';
import { median, type Row } from './support/table.ts';

const GROUPS = 10_000;
const REACH = 2;

export async function benchAddCampaign({ quick }: { quick: boolean }): Promise<Row[]> {
  const rounds = quick ? 5 : 15;
  const cluster = await startCluster();
  try {
    return await cluster.withDatabase(async ({ db }) => {
      await migrate(db, cluster.log);
      const owner = await createOwner(db, GROUPS);
      const several = await createOwner(db, GROUPS);
      await setSenders(db, several, [await addAccount(db, several)]);
      const bare = await createOwner(db, GROUPS);
      const ours: number[] = [];
      const ofTwo: number[] = [];
      const theirs: number[] = [];
      // The first round of each warms up and does not count.
      for (let round = 0; round <= rounds; round++) {
        ours.push(await timed(() => sendNow(db, owner)));
        ofTwo.push(await timed(() => sendNow(db, several)));
        theirs.push(
          await timed(
            () =>
              execute(db)`
              insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id)
              select workspace_id, ${bare.accountId}, ${round}, row_number() over (order by group_id), group_id,
                     '3EB0' || upper(left(replace(gen_random_uuid()::text, '-', ''), 18))
              from groups where workspace_id = ${bare.workspaceId}`,
          ),
        );
      }
      const [one, two, yardstick] = [ours, ofTwo, theirs].map((all) => median(all.slice(1))) as [
        number,
        number,
        number,
      ];
      const row = (what: string, mine: number, other: number, name: string): Row => ({
        what: `add-campaign to 10,000 groups, ${what}p50`,
        ours: `${mine.toFixed(0)} ms`,
        yardstick: `${name} ${other.toFixed(0)} ms`,
        ratio: mine / other,
        reach: `≤ ${REACH}`,
        reached: mine / other <= REACH,
      });
      return [
        row('', one, yardstick, 'INSERT … SELECT'),
        row('sent by the second of two accounts, ', two, one, 'one account'),
      ];
    });
  } finally {
    await cluster.stop();
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
