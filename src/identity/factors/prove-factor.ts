import type { UserId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { countFailures, FACTOR_FAILURES } from '../sign-in/brute-force-limit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { findTotp, hasFactor, consumeTotpStep } from './factor-store.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { stepOfCode } from './totp.ts';
import { hasRow } from '../../platform/database/statements.ts';

type ProofDeps = Pick<UserDependencies, 'db' | 'clock' | 'vault'>;

/**
 * The second step of a sign-in for users with a second factor: a TOTP code, or a recovery code, which is used up. Throws `code_required`
 * when the code is missing, `code_wrong` when it is wrong or used, and `rate_limited` after 10 wrong codes in 15 minutes.
 */
export async function requireFactor(deps: ProofDeps, userId: UserId, code: string | undefined): Promise<void> {
  if (!(await hasFactor(deps.db, userId))) return;
  if (code === undefined)
    throw new AppError('code_required', 'This user has a second factor. Send its code too.', {
      details: [fieldError('code', 'code_required')],
    });
  if (!(await proveCode(deps, userId, code)))
    throw new AppError('code_wrong', 'The code is wrong or was used before', {
      details: [fieldError('code', 'wrong_code')],
    });
}

/** Returns whether the code is valid, and uses it up. Throws `rate_limited` after 10 invalid codes in 15 minutes. */
export function proveCode({ db, clock, vault }: ProofDeps, userId: UserId, code: string): Promise<boolean> {
  return countFailures(db, [{ limit: FACTOR_FAILURES, key: String(userId) }], async () => {
    const digits = code.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(digits))
      return hasRow(db)`
        delete from recovery_codes where user_id = ${userId} and hash = ${hashRecoveryCode(code)} returning 1`;
    const totp = await findTotp(db, userId, true);
    if (!totp) return false;
    const step = stepOfCode(vault.open(totp.secret, aboutTotp(userId)), digits, clock.nowMs());
    return step !== undefined && (await consumeTotpStep(db, totp, step));
  });
}

/** The additional data of a sealed secret. */
export function aboutTotp(userId: UserId): string {
  return `totp of user ${userId}`;
}
