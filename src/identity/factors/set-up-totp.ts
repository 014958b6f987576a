import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { AppError, invalid } from '../../platform/errors/errors.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import { countFailures, FACTOR_FAILURES } from '../sign-in/brute-force-limit.ts';
import type { UserDependencies } from '../dependencies.ts';
import {
  countRecoveryCodes,
  findTotp,
  insertTotp,
  lockOwner,
  replaceRecoveryCodes,
  resealTotp,
  selectSealedOtherwise,
  consumeTotpStep,
} from './factor-store.ts';
import { getProfile } from '../get-profile.ts';
import { aboutTotp } from './prove-factor.ts';
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts';
import { describeTotp, generateTotpSecret, stepOfCode } from './totp.ts';
import { fieldError } from '../../platform/errors/issues.ts';

/**
 * Draws a key for an authenticator app. It counts from the first code on (`confirmTotp`); until then another call draws another. Throws
 * `conflict` when one is in use.
 */
export async function addTotp(
  deps: Pick<UserDependencies, 'db' | 'vault' | 'timeZone' | 'hasMail'>,
  actor: Actor,
): Promise<{ secret: string; uri: string }> {
  const { userId } = actor;
  const { user } = await getProfile(deps, actor);
  const secret = generateTotpSecret();
  if (!(await insertTotp(deps.db, userId, deps.vault.seal(secret, aboutTotp(userId)))))
    throw new AppError('factor_exists', 'An authenticator app is already set up. Remove it first.');
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
      recoveryCodes = await issueRecoveryCodes(trx, userId);
      await recordAudit(trx, { ...actor, action: 'user.factor_added', subject: 'totp' });
      await queueMail(trx, { kind: 'factors_changed', userId });
      return true;
    });
  });
  if (!isRight) throw invalid([fieldError('code', 'wrong_code')]);
  return { recoveryCodes };
}

/** The codes that come with a user's first factor; none for who has some. The user must be locked. */
export async function issueRecoveryCodes(trx: Connection, userId: UserId): Promise<string[]> {
  if ((await countRecoveryCodes(trx, userId)) > 0) return [];
  const codes = generateRecoveryCodes();
  await replaceRecoveryCodes(trx, userId, codes.map(hashRecoveryCode));
  return codes;
}

/**
 * Key rotation: encrypts with the present key all secrets that the previous key encrypted. Returns their number. Throws when a secret has
 * another key.
 */
export async function resealTotps(db: Database, vault: Vault): Promise<number> {
  const factors = await selectSealedOtherwise(db, vault.keyIdPrefix);
  for (const factor of factors) {
    const about = aboutTotp(factor.userId);
    await resealTotp(db, factor, vault.seal(vault.open(factor.secret, about), about));
  }
  return factors.length;
}
