import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { resealColumn } from '../../platform/secrets/sealed-columns.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import { countFailures, FACTOR_FAILURES } from '../sign-in/brute-force-limit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { findTotp, lockOwner, consumeTotpStep } from './factor-store.ts';
import { getProfile } from '../get-profile.ts';
import { aboutTotp } from './prove-factor.ts';
import { issueFirstRecoveryCodes } from './recovery-codes.ts';
import { describeTotp, generateTotpSecret, stepOfCode } from './totp.ts';
import { hasRow, type Database } from '../../platform/database/statements.ts';

/**
 * Draws a key for an authenticator app. It counts from the first code on (`confirmTotp`); until then another call draws another. Throws
 * `conflict` when one is in use.
 */
export async function addTotp(deps: Pick<UserDependencies, 'db' | 'vault' | 'timeZone' | 'hasMail'>, actor: Actor) {
  const { userId } = actor;
  const { user } = await getProfile(deps, actor);
  const secret = generateTotpSecret();
  const sealed = deps.vault.seal(secret, aboutTotp(userId));
  // Takes the place of one that was not confirmed.
  const isKept = await hasRow(deps.db)`
    insert into factors (user_id, kind, name, secret, confirmed) values (${userId}, 'totp', '', ${sealed}, false)
    on conflict (user_id) where kind = 'totp' do update set secret = excluded.secret, created_at = excluded.created_at
      where not factors.confirmed
    returning 1`;
  if (!isKept) throw new AppError('factor_exists', 'An authenticator app is already set up. Remove it first.');
  return describeTotp(secret, user.userName);
}

/**
 * Takes the first code of the app, which is asked for at each sign-in from then on. Answers ten recovery codes, unless the user has some:
 * here and never again. Throws `invalid` on `code` when it is wrong, `conflict` when no app is being set up.
 */
export async function confirmTotp(
  { db, vault, clock }: Pick<UserDependencies, 'db' | 'vault' | 'clock'>,
  actor: Actor,
  code: string,
): Promise<{ recoveryCodes: string[] }> {
  const { userId } = actor;
  const totp = await findTotp(db, userId, false);
  if (!totp) throw new AppError('factor_missing', 'No authenticator app is being set up. Call add_totp first.');
  const secret = vault.open(totp.secret, aboutTotp(userId));
  let recoveryCodes: string[] = [];
  const isRight = await countFailures(db, [{ limit: FACTOR_FAILURES, key: String(userId) }], async () => {
    const step = stepOfCode(secret, code.replaceAll(/\s/g, ''), clock.nowMs());
    if (step === undefined) return false;
    return db.transaction().execute(async (trx) => {
      await lockOwner(trx, userId);
      if (!(await consumeTotpStep(trx, totp, step))) return false;
      recoveryCodes = await issueFirstRecoveryCodes(trx, userId);
      await recordAudit(trx, { ...actor, action: 'user.factor_added', subject: 'totp' });
      await queueMail(trx, { kind: 'factors_changed', userId });
      return true;
    });
  });
  if (!isRight) throw invalid([fieldError('code', 'wrong_code')]);
  return { recoveryCodes };
}

/** Key rotation, as `resealColumn`. */
export function resealTotps(db: Database, vault: Vault): Promise<number> {
  return resealColumn(db, vault, { table: 'factors', column: 'secret', id: 'user_id' }, aboutTotp);
}
