/** Workspaces of a simulated world that have a second account: drawn from its seed, and created without faults. */
import { sql } from 'kysely';
import type { Database } from '../src/platform/database/connect.ts';
import type { Owner } from '../test/support/ledger.ts';
import { draw, pick } from '../test/support/inputs/random.ts';
import { addAccount, setSenders } from '../test/support/several-accounts.ts';

export interface FurtherPlan {
  /** The second account is a member of so many of the groups: of all, or of all but one. */
  isMemberOfAll: boolean;
  /** null: somebody has to hand over. */
  failoverMinutes: number | null;
  failsBack: boolean;
  /** Which account goes first in the groups of the workspace; null: no rule is set. */
  preferred: 'default' | 'second' | null;
  /** Half of the groups prefer the other account. */
  isSplit: boolean;
}

/** Draws the second account of a workspace. */
export function drawFurther(random: () => number): FurtherPlan {
  return {
    isMemberOfAll: random() < 0.6,
    failoverMinutes: pick(random, [null, 1, 1, 2]),
    failsBack: random() < 0.6,
    preferred: pick(random, [null, 'default', 'second'] as const),
    isSplit: random() < 0.5,
  };
}

/** Adds the second account. Returns its id and the groups that it is a member of. */
export async function addFurther(
  db: Database,
  owner: Owner,
  plan: FurtherPlan,
  random: () => number,
): Promise<{ accountId: number; groupIds: number[] }> {
  const { groupIds: all } = owner;
  const groupIds = plan.isMemberOfAll ? all : draw(random, all, all.length - 1);
  const accountId = await addAccount(db, owner, { groupIds });
  await sql`
    update workspaces set failover_minutes = ${plan.failoverMinutes}, fails_back = ${plan.failsBack}
    where workspace_id = ${owner.workspaceId}`.execute(db);
  await sql`
    update accounts set groups_synced_at = campanile_now() where account_id in (${owner.accountId}, ${accountId})`.execute(
    db,
  );
  const order = [owner.accountId, accountId];
  if (plan.preferred === 'second') order.reverse();
  if (plan.preferred) await setSenders(db, owner, order);
  const others = plan.isSplit ? draw(random, all, Math.floor(all.length / 2)) : [];
  for (const groupId of others) await setSenders(db, owner, order.toReversed(), groupId);
  return { accountId, groupIds: all.filter((groupId) => groupIds.includes(groupId)) };
}
