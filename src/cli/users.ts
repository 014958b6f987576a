import { randomBytes } from 'node:crypto';
import { recordAudit } from '../workspaces/audit/record-audit.ts';
import { StartupError, UsageError } from '../platform/errors/errors.ts';
import { queueMail } from '../platform/mail/mail-store.ts';
import { createUser } from '../identity/create-user.ts';
import { endUser } from '../identity/delete-account.ts';
import type { UserDependencies } from '../identity/dependencies.ts';
import { selectUsers } from '../identity/manage-users-store.ts';
import { removeFactors, switchUser } from '../identity/manage-users.ts';
import { hashPassword } from '../identity/passwords/password.ts';
import { makeAdmin, setPassword } from '../identity/account-flags-store.ts';
import type { UserWithSecrets } from '../identity/store.ts';
import { actorFor, COMMAND_LINE, requireUser, withUsers } from './open-users.ts';
import { inviteUser } from './invite-user.ts';
import { recordCommand } from './record-command.ts';
import type { Shell } from './shell.ts';
import { writeTable } from './write-table.ts';

/** The most users of one list; a search narrows it down. */
const MOST_LISTED = 1_000;
const PASSWORD_BYTES = 15;

/** The actions on one user, named by the second argument. Each returns its output. */
type Action = (deps: UserDependencies, user: UserWithSecrets) => Promise<string>;

const ACTIONS: Readonly<Record<string, Action>> = {
  disable: async (deps, user) => {
    await switchUser(deps, actorFor(user), user, true);
    return `Disabled ${user.userName}: signed out everywhere, and sending has stopped`;
  },
  enable: async (deps, user) => {
    await switchUser(deps, actorFor(user), user, false);
    return `Enabled ${user.userName}`;
  },
  'reset-factor': async ({ db }, user) => {
    await removeFactors(db, actorFor(user), user);
    return `Removed the second factors of ${user.userName}`;
  },
  'reset-password': resetPassword,
  'make-admin': async ({ db }, user) => {
    await db.transaction().execute(async (trx) => {
      await makeAdmin(trx, user.userId);
      await recordAudit(trx, { ...actorFor(user), action: 'user.made_admin', subject: user.userName });
    });
    return `${user.userName} is now an administrator`;
  },
};

/** `campanile users …`: the administrators' actions of the dashboard, and the actions for when no administrator can sign in. */
export async function users({ given, output }: Shell): Promise<number> {
  const [word = '', ...rest] = given;
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (action) output.write(`${await withUsers(async (deps) => action(deps, await requireUser(deps, only(rest))))}\n`);
  else if (word === 'list') await list(rest, output);
  else if (word === 'create') output.write(`${await create(rest)}\n`);
  else if (word === 'invite') output.write(`${await inviteUser(only(rest))}\n`);
  else if (word === 'delete') output.write(`${await remove(rest)}\n`);
  else throw new UsageError('Expected a subcommand');
  return 0;
}

function only(given: readonly string[]): string {
  const [name] = given;
  if (name === undefined || given.length > 1) throw new UsageError('Expected one user name or e-mail address');
  return name;
}

async function list(given: readonly string[], output: NodeJS.WritableStream): Promise<void> {
  const [search] = given;
  if (given.length > 1) throw new UsageError('Expected at most one search term');
  const found = await withUsers(({ db }) => selectUsers(db, { search, limit: MOST_LISTED, before: undefined }));
  writeTable(
    output,
    ['name', 'e-mail', 'since', 'last sign-in', 'standing'],
    found.map(({ userName, email, createdAt, lastSignInAt, isAdmin, disabledAt }) => [
      userName,
      email,
      createdAt.toISOString(),
      lastSignInAt?.toISOString() ?? 'never',
      disabledAt ? 'disabled' : isAdmin ? 'administrator' : 'user',
    ]),
  );
}

/** Works before the first start, too: the first user becomes the administrator, so an operator creates it before strangers can sign up. */
async function create(given: readonly string[]): Promise<string> {
  const [userName, email, number] = given;
  if (userName === undefined || email === undefined || number === undefined || given.length > 3)
    throw new UsageError('Expected a user name, an e-mail address and a WhatsApp number');
  const password = makePassword();
  const numbers = { phoneNumber: number, whatsappNumber: number };
  const person = { ...numbers, userName, email, password, firstName: userName, lastName: '' };
  return withUsers(
    async (deps, { isNew, config }) => {
      const user = await createUser(deps, person, COMMAND_LINE);
      const where = config.databaseUrl === undefined ? `DATA_DIR (${config.dataDir})` : 'DATABASE_URL';
      const first = isNew ? `\nThe user is the administrator of a new database, which was created in ${where}.` : '';
      return `Created ${user.userName}. Password: ${password}. Change it after signing in.${first}`;
    },
    { createsDatabase: true },
  );
}

/** Also ends all sessions and API keys: the old password may be stolen. */
async function resetPassword({ db }: UserDependencies, user: UserWithSecrets): Promise<string> {
  const password = makePassword();
  const passwordHash = await hashPassword(password);
  const { userId, userName: subject } = user;
  await db.transaction().execute(async (trx) => {
    await setPassword(trx, userId, { passwordHash, keepsApiKeys: false });
    await queueMail(trx, { kind: 'password_changed', userId });
    await recordAudit(trx, { ...actorFor(user), action: 'user.password_reset', subject });
  });
  return `Reset the password of ${subject}. Password: ${password}. Change it after signing in. All sessions and API keys were revoked.`;
}

async function remove(given: readonly string[]): Promise<string> {
  const [name, sure] = given;
  if (name === undefined || given.length > 2) throw new UsageError('Expected one user name or e-mail address');
  return withUsers(async (deps) => {
    const user = await requireUser(deps, name);
    if (sure !== '--yes')
      throw new StartupError(
        `This permanently deletes ${user.userName} (${user.email}) and everything in the workspace. Add --yes to confirm.`,
      );
    // The log of the deleted goes with them.
    await endUser(deps, user, (trx) => recordCommand(trx, 'user.deleted', user.userName));
    return `Deleted ${user.userName}`;
  });
}

function makePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}
