import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import type { Challenges } from './challenges.ts';
import type { UserDependencies } from '../dependencies.ts';
import { lockOwner, selectPasskeys } from './factor-store.ts';
import { getProfile } from '../get-profile.ts';
import { execute, hasRow, type Connection } from '../../platform/database/statements.ts';
import { issueFirstRecoveryCodes } from './recovery-codes.ts';

/** Where passkeys are for: an authenticator gives out none to another site. */
export interface Site {
  /** https://campanile.example */
  origin: string;
  /** campanile.example */
  host: string;
}

/** Loaded when somebody has a passkey: it takes tens of megabytes. */
const loadWebAuthn = () => import('@simplewebauthn/server');

type PasskeyDeps = Pick<UserDependencies, 'db' | 'challenges'>;

/** A user has at most so many. */
const MOST_PASSKEYS = 10;
const SIGN_IN = 'sign in';
const addBy = (userId: UserId) => `add for ${userId}`;

/** Returns the options for creating a passkey with a stored user name (a discoverable credential), so that later nobody types a name. */
export async function beginPasskey(
  { db, challenges, timeZone, hasMail }: PasskeyDeps & Pick<UserDependencies, 'timeZone' | 'hasMail'>,
  actor: Actor,
  site: Site,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { userId } = actor;
  const { user } = await getProfile({ db, timeZone, hasMail }, actor);
  const passkeys = await selectPasskeys(db, { userId });
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: 'Campanile',
    rpID: site.host,
    userID: new TextEncoder().encode(String(userId)),
    userName: user.userName,
    userDisplayName: `${user.firstName} ${user.lastName}`.trim(),
    challenge: challenges.draw(addBy(userId)),
    excludeCredentials: passkeys.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/**
 * Stores a passkey that the browser created. Returns ten recovery codes if it is the user's first factor. Throws `invalid` on `passkey`
 * when the response cannot be verified, `conflict` when the passkey is stored already, or at the 11th passkey.
 */
export async function addPasskey(
  { db, challenges }: PasskeyDeps,
  actor: Actor,
  { response, name, site }: { response: RegistrationResponseJSON; name: string; site: Site },
): Promise<{ recoveryCodes: string[] }> {
  const { userId } = actor;
  const challenge = challengeOf(challenges, addBy(userId));
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const made = await verified(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.isOurs,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
    }),
  );
  if (!made?.registrationInfo || !(await challenge.spend(db))) throw invalid([fieldError('passkey', 'not_verified')]);
  const { id, publicKey, counter } = made.registrationInfo.credential;
  return db.transaction().execute(async (trx) => {
    await lockOwner(trx, userId);
    if ((await selectPasskeys(trx, { userId })).length >= MOST_PASSKEYS)
      throw new AppError(
        'factor_limit_reached',
        `You have reached the limit of ${MOST_PASSKEYS} passkeys. Remove one first.`,
      );
    const isNew = await hasRow(trx)`
      insert into factors (user_id, kind, name, credential_id, public_key, used)
      values (${userId}, 'passkey', ${name}, ${id}, ${Buffer.from(publicKey)}, ${counter})
      on conflict do nothing returning 1`;
    if (!isNew) throw new AppError('factor_exists', 'This passkey is already registered');
    await recordAudit(trx, { ...actor, action: 'user.factor_added', subject: name });
    await queueMail(trx, { kind: 'factors_changed', userId });
    return { recoveryCodes: await issueFirstRecoveryCodes(trx, userId) };
  });
}

/** Returns the browser's options for signing in with any passkey of this site; the same for everybody. */
export async function passkeyRequestOptions(
  { challenges }: Pick<UserDependencies, 'challenges'>,
  site: Site,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const challenge = challenges.draw(SIGN_IN);
  return generateAuthenticationOptions({ rpID: site.host, challenge, userVerification: 'required' });
}

/**
 * Returns the user that a passkey authenticates. User verification (a fingerprint or a PIN) is required, so that a passkey replaces password
 * and second factor. Throws the same `unauthenticated` for an unknown passkey and for a failed proof.
 */
export async function provePasskey(
  { db, challenges }: PasskeyDeps,
  response: AuthenticationResponseJSON,
  site: Site,
): Promise<UserId> {
  const [passkey] = await selectPasskeys(db, { credentialId: response.id });
  const challenge = challengeOf(challenges, SIGN_IN);
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const proof =
    passkey &&
    (await verified(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge.isOurs,
        expectedOrigin: site.origin,
        expectedRPID: site.host,
        credential: {
          id: passkey.credentialId,
          publicKey: Uint8Array.from(passkey.publicKey),
          counter: passkey.uses,
        },
      }),
    ));
  if (!passkey || !proof?.verified || !(await challenge.spend(db)))
    throw new AppError('passkey_unknown', 'This passkey is not registered here');
  const { newCounter } = proof.authenticationInfo;
  await execute(db)`
    update factors set used = ${newCounter}, last_used_at = campanile_now() where factor_id = ${passkey.factorId}`;
  return passkey.userId;
}

/** Looks at the challenge that a response carries, and then spends it, once. */
function challengeOf(challenges: Challenges, purpose: string) {
  let seen: { challenge: string; endsAtMs: number } | undefined;
  return {
    isOurs(challenge: string): boolean {
      const endsAtMs = challenges.endOf(challenge, purpose);
      seen = endsAtMs === undefined ? undefined : { challenge, endsAtMs };
      return seen !== undefined;
    },
    spend: async (db: Connection): Promise<boolean> =>
      seen !== undefined &&
      (await hasRow(db)`
        insert into spent_challenges (challenge, expires_at) values (${seen.challenge}, ${new Date(seen.endsAtMs)})
        on conflict do nothing returning 1`),
  };
}

/** Returns the library's result; undefined when it throws, which is how it rejects a response. */
async function verified<Result>(verify: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
