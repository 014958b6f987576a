/** Workspaces of a simulated world with several accounts: drawn from its seed, and created without faults. */
import { execute, type Database } from '../../src/platform/database/statements.ts';
import type { Owner } from '../../test/support/ledger.ts';
import { draw, pick } from '../../test/support/inputs/random.ts';
import { addAccount, setSenders } from '../../test/support/several-accounts.ts';
import type { SenderRule } from './line.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

export interface FurtherPlan {
  /** Of each further account: whether it is a member of all groups, or of all but one. */
  areMembersOfAll: readonly boolean[];
  failover: FailoverPlan;
  /** Whether a rule is set for the workspace, which puts the accounts in an order. */
  hasRule: boolean;
  /** Half of the groups have a rule with the accounts in the opposite order. */
  isSplit: boolean;
}

export interface FailoverPlan {
  /** null: somebody has to hand over. */
  failoverMinutes: number | null;
  failsBack: boolean;
}

/** Draws the accounts of a workspace beside the default one; undefined: there are none. */
export function drawFurther(random: () => number): FurtherPlan | undefined {
  const accounts = pick(random, [0, 0, 1, 1, 2]);
  const areMembersOfAll = Array.from({ length: accounts }, () => random() < 0.6);
  const failover = drawFailover(random);
  const [hasRule, isSplit] = [random() < 0.7, random() < 0.5];
  return accounts === 0 ? undefined : { areMembersOfAll, failover, hasRule, isSplit };
}

export const drawFailover = (random: () => number): FailoverPlan => ({
  failoverMinutes: pick(random, [null, 1, 1, 2]),
  failsBack: random() < 0.6,
});

export interface AddedAccount {
  accountId: AccountId;
  groupIds: number[];
}

/** Adds the further accounts, with rules of who sends. Returns both. */
export async function addFurther(
  db: Database,
  owner: Owner,
  plan: FurtherPlan,
  random: () => number,
): Promise<{ accounts: AddedAccount[]; rules: SenderRule[] }> {
  const { groupIds: all, workspaceId } = owner;
  const accounts: AddedAccount[] = [];
  for (const isMemberOfAll of plan.areMembersOfAll) {
    const drawn = isMemberOfAll ? all : draw(random, all, all.length - 1);
    const groupIds = all.filter((groupId) => drawn.includes(groupId));
    accounts.push({ accountId: await addAccount(db, owner, { groupIds }), groupIds });
  }
  const { failoverMinutes, failsBack } = plan.failover;
  await execute(db)`
    update workspaces set failover_minutes = ${failoverMinutes}, fails_back = ${failsBack} where workspace_id = ${workspaceId}`;
  await execute(db)`
    update accounts set groups_synced_at = campanile_now() where workspace_id = ${workspaceId}`;
  const own = [owner.accountId, ...accounts.map(({ accountId }) => accountId)];
  const order = draw(random, own, own.length);
  if (plan.hasRule) await setSenders(db, owner, order);
  const others = plan.isSplit ? draw(random, all, Math.floor(all.length / 2)) : [];
  const reversed = order.toReversed();
  for (const groupId of others) await setSenders(db, owner, reversed, groupId);
  const rules = [
    ...(plan.hasRule ? [{ groupIds: [], senders: order }] : []),
    ...(others.length > 0 ? [{ groupIds: others, senders: reversed }] : []),
  ];
  return { accounts, rules };
}
