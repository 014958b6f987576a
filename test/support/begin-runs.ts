import { expect } from 'vitest';
import { readOne, type Database } from '../../src/platform/database/statements.ts';
import { beginDueRuns } from '../../src/sending/campaigns/begin/begin-runs.ts';

export const EVERY_SHARD: number[] = Array.from({ length: 256 }, (_, shard) => shard);

/** Begins the runs that are due. */
export async function beginRuns(db: Database): Promise<void> {
  for (let steps = 0; steps < 200; steps++) if ((await beginDueRuns(db, EVERY_SHARD)) > 0) return;
  throw new Error('beginning runs never came to an end');
}

/** Expects that a campaign's counter of open runs is right: those that have not ended, and one more while others are still to be planned. */
export async function expectOpenRuns(db: Database, campaign: string): Promise<void> {
  const { counted, open } = await readOne<{ counted: number; open: number }>(db)`
    select c.open_runs as counted, count(r.run_id) filter (where r.finished_at is null) + (c.planned_until is not null)::int as open
    from campaigns c left join runs r on r.campaign_id = c.campaign_id where c.public_id = ${campaign}::uuid group by c.campaign_id`;
  expect(counted).toBe(open);
}
