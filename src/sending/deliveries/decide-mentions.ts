/** Decides which posts of a turn mention everybody (contract §5). A decision is durable before the first attempt, and never changes. */
import { execute, hasRow, readColumn, sql } from '../../platform/database/statements.ts';
import { readWorkspaceRules } from '../accounts/read-workspace-rules.ts';
import { lockLedger } from '../accounts/store.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { SendResult } from '../../messengers/messenger.ts';
import type { Turn } from './claim-turns.ts';
import { describeFailure, storeFailure, type Failure } from '../../platform/errors/failures.ts';

/**
 * Returns the positions of the turn's deliveries that mention everybody. In the other groups the workspace's cap for this day of its owner
 * is used up. Undefined if the turn was lost: another worker decides. `timeZone` is the installation's.
 */
export async function decideMentions(
  { db, timeZone }: { db: Database; timeZone: string },
  { workspaceId, accountId, turn, runId, deliveries }: Turn,
): Promise<ReadonlySet<number> | undefined> {
  const positions = deliveries.map(({ position }) => position);
  return db.transaction().execute(async (trx) => {
    // Two accounts of the workspace that mention everybody in one group are counted one after the other.
    if (!(await lockLedger(trx, workspaceId))) return undefined;
    const isHeld = await hasRow(trx)`
      select from lanes where account_id = ${accountId} and turn = ${turn} and in_hand_run_id is not null for no key update`;
    const rules = await readWorkspaceRules(trx, workspaceId, timeZone);
    if (!isHeld || !rules) return undefined;
    await execute(trx)`
      insert into everyone_mentions (workspace_id, run_id, position, group_id, day, left_out)
      select d.workspace_id, d.run_id, d.position, d.group_id, ${rules.today.toString()}::date,
             case when ${countMentions(sql.ref('d.workspace_id'), sql.ref('d.group_id'), rules.today.toString())} >= ${rules.mentionAllCap}
                  then ${storeFailure(explainCap(rules.mentionAllCap))}::jsonb end
      from deliveries d
      where d.workspace_id = ${workspaceId} and d.run_id = ${runId} and d.position = any(${positions}::int[])
      on conflict do nothing`;
    const mentioning = await readColumn<number>(trx)`
      select position from everyone_mentions
      where workspace_id = ${workspaceId} and run_id = ${runId} and position = any(${positions}::int[]) and left_out is null`;
    return new Set(mentioning);
  });
}

/** How often everybody in a group was mentioned on a day of the owner's zone, `YYYY-MM-DD`. A post that surely never arrived does not count. */
export function countMentions(workspaceId: ReturnType<typeof sql>, groupId: ReturnType<typeof sql>, day: string) {
  return sql<number>`(
    select count(*)::int from everyone_mentions m
    left join deliveries e on e.workspace_id = m.workspace_id and e.run_id = m.run_id and e.position = m.position
    where m.workspace_id = ${workspaceId} and m.group_id = ${groupId} and m.day = ${day}::date and m.left_out is null
      and coalesce(e.status in ('queued', 'sent') or e.uncertain or e.error_code = 'outcome_unknown', true))`;
}

/** Records the posts that the messaging application let leave only without their mention. */
export async function recordLeftOut(db: Connection, turn: Turn, results: readonly SendResult[]): Promise<void> {
  const left = findInSent(turn, results, ({ mentionLeftOut }) => mentionLeftOut);
  if (left.length === 0) return;
  const { workspaceId, runId } = turn;
  await execute(db)`
    update everyone_mentions m set left_out = i.failure::jsonb
    from unnest(${left.map(({ position }) => position)}::int[], ${left.map(({ found }) => storeFailure(found))}::text[]) i (position, failure)
    where m.workspace_id = ${workspaceId} and m.run_id = ${runId} and m.position = i.position`;
}

const explainCap = (cap: number): Failure =>
  cap === 0 ? describeFailure('mention_not_allowed') : describeFailure('mention_cap', { times: cap });

type Sent = Extract<SendResult, { kind: 'sent' }>;

/** Returns the positions of the posts of a turn that were sent and in whose results `find` finds something, with what it finds. */
export function findInSent<Found>(
  { deliveries }: Turn,
  results: readonly SendResult[],
  find: (result: Sent) => Found | undefined,
): Array<{ position: number; found: Found }> {
  return results.flatMap((result, index) => {
    const position = deliveries[index]?.position;
    const found = result.kind === 'sent' ? find(result) : undefined;
    return position === undefined || found === undefined ? [] : [{ position, found }];
  });
}
