/** Decisions on the phone: acts upon answers in review groups (docs/explanation/decisions/0108-approve-in-a-review-group.md). */
import { execute, readRows, sql, type Database } from '../../platform/database/statements.ts';
import { isSameNumber } from '../../platform/phone/phone-number.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import type { Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import type { AcceptDeps } from '../campaigns/accept/accept-campaign.ts';
import { insertEntry } from './approval-store.ts';
import { approve, refuse } from './decide-approval.ts';

const POLL_MS = 1_000;
const STEP = 100;

interface Answer {
  answerId: number;
  workspaceId: WorkspaceId;
  approvalId: string;
  version: number;
  hash: Buffer;
  /** Digits. */
  number: string;
  /** Null: a 👍. */
  remark: string | null;
}

export interface DecideDeps extends Pick<AcceptDeps, 'quotas' | 'timeZone'> {
  db: Database;
  log: Log;
}

export function watchAnswers(deps: DecideDeps & PolledLoopDeps): Loop {
  return startPolledLoop(deps, {
    name: 'review answers',
    isDue: () => sql<boolean>`exists (select from review_answers where number is not null)`,
    pollMs: POLL_MS,
    step: async (restMs) => ((await decideAnswers(deps)) ? 0 : restMs),
  });
}

/**
 * Acts upon the oldest answers of known people, one after the other, and forgets them. A repeat changes nothing, so that any number of
 * processes may do so, and stop in between. Returns whether there may be more. Throws the first error that a later try may not meet.
 */
export async function decideAnswers(deps: DecideDeps): Promise<boolean> {
  const { db, log } = deps;
  const rows = await readRows<Answer>(db)`
    select a.answer_id as "answerId", v.workspace_id as "workspaceId", v.approval_id as "approvalId", v.version, v.hash, a.number, a.remark
    from review_answers a join approval_reviews v using (campaign_id)
    where a.number is not null order by a.answer_id limit ${STEP}`;
  const failures: unknown[] = [];
  for (const answer of rows)
    try {
      const refusal = await decide(deps, answer);
      await forget(db, answer, refusal);
    } catch (error) {
      if (isDataError(error)) {
        // Poison message: it would fail at each try.
        log.error({ err: error, approvalId: answer.approvalId }, 'an answer in a review group could not be recorded');
        await forget(db, answer);
      } else failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return rows.length === STEP;
}

/** A decision that its approver made, and that could not be carried out. */
interface Refusal {
  userId: UserId;
  reason: string;
}

/** Codes of decisions that are nothing to tell: the answer came too late, or was its author's own. */
const SILENT: ReadonlySet<ErrorCode> = new Set([
  'approval_own',
  'approval_changed',
  'approval_decided',
  'approval_time_passed',
  'approval_not_found',
  'role_missing',
]);

async function decide(deps: DecideDeps, answer: Answer): Promise<Refusal | undefined> {
  const approver = await findApprover(deps.db, answer);
  if (!approver) return undefined;
  const { approvalId, hash, version, remark } = answer;
  const decision = { approvalId, hash, remark: remark ?? '', onPhone: { version, number: approver.listed } };
  try {
    if (remark === null) await approve(deps, approver.actor, decision);
    else await refuse(deps, approver.actor, { ...decision, state: 'changes_requested' });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return SILENT.has(error.code) ? undefined : { userId: approver.actor.userId, reason: error.message };
  }
}

/** The member whom the owner lists with this number, if they may decide. */
async function findApprover(db: Database, { workspaceId, number }: Answer) {
  const rows = await readRows<{ userId: UserId; role: Role; listed: string }>(db)`
    select m.user_id as "userId", m.role, m.review_number as listed
    from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and m.review_number is not null and m.role in ('manager', 'owner')
      and u.deleted_at is null and u.disabled_at is null`;
  const [found, ...others] = rows.filter(({ listed }) => isSameNumber(listed, number));
  // A list of an earlier version may have a number twice.
  if (others.length > 0) return undefined;
  return found && { actor: { userId: found.userId, workspaceId, role: found.role, address: '' }, listed: found.listed };
}

/** Forgets an answer. Why it could not be carried out becomes a remark, once. */
function forget(db: Database, { answerId, workspaceId, approvalId, version }: Answer, refusal?: Refusal) {
  return db.transaction().execute(async (trx) => {
    const affected = await execute(trx)`delete from review_answers where answer_id = ${answerId}`;
    if (!refusal || affected === 0) return;
    const { userId, reason } = refusal;
    const remark = `👍 ${reason}`;
    await insertEntry(trx, { workspaceId, approvalId, version, userId, kind: 'remark', remark, onPhone: true });
  });
}
