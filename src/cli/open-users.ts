import { linkAccount, prepareHandOver, unlinkAccount } from '../sending/accounts/link-account.ts';
import { setAccountsDisabled } from '../sending/accounts/disable-accounts.ts';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import { AppError, StartupError } from '../platform/errors/errors.ts';
import { createLog } from '../platform/log/log.ts';
import { systemClock } from '../platform/time/time.ts';
import { createVault } from '../platform/secrets/secret-box.ts';
import { SANDBOX } from '../messengers/sandbox/capabilities.ts';
import { WHATSAPP } from '../messengers/whatsapp/capabilities.ts';
import { loadSecrets } from '../platform/secrets/load-secrets.ts';
import { createUserDependencies, type UserDependencies } from '../identity/dependencies.ts';
import { loginOf } from '../identity/login.ts';
import { findUserByLogin, type UserWithSecrets } from '../identity/store.ts';
import { withDatabase, type Opened, type OpenOptions } from './with-database.ts';

/** The address in the audit log for commands. */
export const COMMAND_LINE = 'command line';

/**
 * Lends a command what the service does things to users with, except that sign-up is open to the operator. What the service would
 * refuse is thrown as a StartupError.
 */
export async function withUsers<Result>(
  use: (deps: UserDependencies, opened: Opened) => Promise<Result>,
  options?: OpenOptions,
): Promise<Result> {
  try {
    return await withDatabase(async (opened) => use(await open(opened), opened), options);
  } catch (error) {
    throw error instanceof AppError ? new StartupError(error.message, error) : error;
  }
}

async function open({ config, db, address }: Opened): Promise<UserDependencies> {
  const log = createLog('fatal');
  const secrets = await loadSecrets({ config, address, log });
  const traits = { sandbox: SANDBOX, whatsapp: WHATSAPP }[config.messenger];
  return createUserDependencies({
    db,
    log,
    clock: systemClock,
    jwtSecret: secrets.jwtSecret,
    jwtSecretPrevious: secrets.jwtSecretPrevious,
    signUp: 'open',
    isPublic: config.publicUrl !== undefined,
    vault: createVault({ key: secrets.encryptionKey, previousKey: config.encryptionKeyPrevious }),
    hasMail: config.smtpUrl !== undefined,
    timeZone: config.timeZone,
    // The operator may give a person any number.
    ownedWorkspaces: Infinity,
    onWorkspaceCreated: (trx, workspaceId) => linkAccount(trx, workspaceId, traits),
    onTestWorkspaceCreated: (trx, workspaceId) => linkAccount(trx, workspaceId, SANDBOX),
    onHandedOver: prepareHandOver,
    onUserDeleted: unlinkAccount,
    onUserSwitched: setAccountsDisabled,
    allowsNumber: () => Promise.reject(new Error('the command line changes no number')),
  });
}

/** The user with this name or e-mail address. Throws a StartupError when there is none. */
export async function requireUser({ db }: Pick<UserDependencies, 'db'>, name: string): Promise<UserWithSecrets> {
  const user = await findUserByLogin(db, loginOf(name));
  if (!user) throw new StartupError(`No user has the name or e-mail address ${name}`);
  return user;
}

/** An operator at the machine acts as the user. The user's audit log shows the command line as the address. */
export function actorFor({ userId, workspaceId, role }: UserWithSecrets): Actor {
  return { userId, workspaceId, role, address: COMMAND_LINE };
}
