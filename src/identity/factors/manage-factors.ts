import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import { deleteFactor, hasFactor, lockOwner, selectFactors } from './factor-store.ts';
import { countRecoveryCodes, issueRecoveryCodes } from './recovery-codes.ts';

/** A user's factors, oldest first, and how many recovery codes they have left. */
export async function listFactors({ db }: { db: Database }, userId: UserId) {
  return { factors: await selectFactors(db, userId), recoveryCodesLeft: await countRecoveryCodes(db, userId) };
}

/** With the last factor the recovery codes go. Throws `not_found` for a factor that is not the user's, whether it exists or not. */
export async function removeFactor({ db }: { db: Database }, actor: Actor, factorId: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const removed = await deleteFactor(trx, actor.userId, factorId);
    if (!removed)
      throw new AppError('factor_not_found', 'You have no second factor with this id', {
        details: [fieldError('factor_id', 'unknown_id', { of: 'second factors' })],
      });
    await recordAudit(trx, { ...actor, action: 'user.factor_removed', subject: removed.name || removed.kind });
    await queueMail(trx, { kind: 'factors_changed', userId: actor.userId });
  });
}

/** Ten new recovery codes in place of those of before, answered here and never again. Throws `conflict` for a user without a factor. */
export async function renewRecoveryCodes({ db }: { db: Database }, actor: Actor): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await lockOwner(trx, actor.userId);
    if (!(await hasFactor(trx, actor.userId)))
      throw new AppError('factor_missing', 'Recovery codes need a second factor. Set one up first.');
    const codes = await issueRecoveryCodes(trx, actor.userId);
    await recordAudit(trx, { ...actor, action: 'user.recovery_codes_renewed', subject: String(codes.length) });
    await queueMail(trx, { kind: 'factors_changed', userId: actor.userId });
    return codes;
  });
}
