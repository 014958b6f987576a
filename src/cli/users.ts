import { randomBytes } from 'node:crypto';
import { recordAudit } from '../workspaces/audit/record-audit.ts';
import { StartupError } from '../platform/errors/errors.ts';
import { queueMail } from '../platform/mail/mail-store.ts';
import { createUser } from '../identity/create-user.ts';
import { endUser } from '../identity/delete-account.ts';
import type { UserDependencies } from '../identity/dependencies.ts';
import { isLastAdministrator, selectUsers } from '../identity/manage-users-store.ts';
import { handOverWorkspace } from '../identity/members/manage-members.ts';
import { selectOwnWorkspaces, selectWorkspacesOf } from '../identity/members/member-store.ts';
import { removeFactors, switchUser } from '../identity/manage-users.ts';
import { hashPassword } from '../identity/passwords/password.ts';
import { makeAdmin, setPassword } from '../identity/account-flags-store.ts';
import type { UserWithSecrets } from '../identity/store.ts';
import { countUnsent, type Unsent } from '../sending/campaigns/read/count-unsent.ts';
import type { Given, JsonFlag, Shell } from './command.ts';
import { actorFor, COMMAND_LINE, requireUser, withUsers } from './open-users.ts';
import { recordCommand } from './record-command.ts';
import { writeJson } from './write-json.ts';
import { writeTable } from './write-table.ts';

/** The most users of one list; a search narrows it down. */
const MOST_LISTED = 1_000;
const PASSWORD_BYTES = 15;

type NamedShell<Options = unknown> = Pick<Shell, 'output'> & { args: { NAME: string }; options: Options };
type Confirmed = { yes: boolean };

/** Runs an action on the user with this name or e-mail address, and writes what it returns. */
async function actOn(
  { args: { NAME }, output }: NamedShell,
  act: (deps: UserDependencies, user: UserWithSecrets) => Promise<string>,
): Promise<number> {
  output.write(`${await withUsers(async (deps) => act(deps, await requireUser(deps, NAME)))}\n`);
  return 0;
}

/** `campanile users disable`. Throws a StartupError for the last administrator, unless that is confirmed. */
export function disableUser(given: NamedShell<Confirmed>): Promise<number> {
  return actOn(given, async (deps, user) => {
    if (!given.options.yes && (await isLastAdministrator(deps.db, user.userId)))
      throw new StartupError(
        `${user.userName} is the last administrator: without one, users are managed only on the command line. Add --yes to disable this user.`,
      );
    const unsent = await countUnsent(deps.db, await switchUser(deps, actorFor(user), user, true));
    const stopped = unsent.map((one) => `\n- ${one.name}: ${describeUnsent(one)}`);
    return `Disabled ${user.userName}: signed out everywhere. Of these workspaces nothing is sent, whoever wrote it, until the user is enabled:${stopped.join('')}`;
  });
}

/** `campanile users enable`. */
export function enableUser(given: NamedShell): Promise<number> {
  return actOn(given, async (deps, user) => {
    const unsent = await countUnsent(deps.db, await switchUser(deps, actorFor(user), user, false));
    const leaving = unsent.map((one) => `\n- ${one.name}: ${describeUnsent(one)}`);
    return `Enabled ${user.userName}. From now on, posts leave again:${leaving.join('')}`;
  });
}

function describeUnsent({ queued, dueRuns, missedRuns, plannedRuns }: Unsent): string {
  const missed = missedRuns === 0 ? '' : `, ${missedRuns} that are too late and will be missed`;
  return `${queued} posts waiting; runs: ${dueRuns} due, ${plannedRuns} planned for later${missed}`;
}

/** `campanile users reset-factor`. */
export function resetFactor(given: NamedShell): Promise<number> {
  return actOn(given, async ({ db }, user) => {
    await removeFactors(db, actorFor(user), user);
    return `Removed the second factors of ${user.userName}`;
  });
}

/** `campanile users make-admin`. */
export function makeAdministrator(given: NamedShell): Promise<number> {
  return actOn(given, async ({ db }, user) => {
    await db.transaction().execute(async (trx) => {
      await makeAdmin(trx, user.userId);
      await recordAudit(trx, { ...actorFor(user), action: 'user.made_admin', subject: user.userName });
    });
    return `${user.userName} is now an administrator`;
  });
}

/** `campanile users reset-password`: also ends all sessions and API keys, since the old password may be stolen. */
export function resetPassword(given: NamedShell): Promise<number> {
  return actOn(given, async ({ db }, user) => {
    const password = makePassword();
    const passwordHash = await hashPassword(password);
    const { userId, userName: subject } = user;
    await db.transaction().execute(async (trx) => {
      await setPassword(trx, userId, { passwordHash, keepApiKeys: false });
      await queueMail(trx, { kind: 'password_changed', userId });
      await recordAudit(trx, { ...actorFor(user), action: 'user.password_reset', subject });
    });
    return `Reset the password of ${subject}. Password: ${password}. Change it after signing in. All sessions and API keys were revoked.`;
  });
}

/**
 * `campanile users hand-over`: for an owner who cannot do it. Every workspace that the user owns and the member belongs to changes hands.
 * Throws a StartupError if there is none.
 */
export function handOver({
  args: { NAME, MEMBER },
  output,
}: Shell & { args: { NAME: string; MEMBER: string } }): Promise<number> {
  return actOn({ args: { NAME }, options: {}, output }, async (deps, user) => {
    const member = await requireUser(deps, MEMBER);
    const shared = new Set((await selectOwnWorkspaces(deps.db, member.userId)).map(({ workspaceId }) => workspaceId));
    const owned = (await selectOwnWorkspaces(deps.db, user.userId)).filter(({ role }) => role === 'owner');
    const common = owned.filter(({ workspaceId }) => shared.has(workspaceId));
    if (member.userId === user.userId || common.length === 0)
      throw new StartupError(`${MEMBER} is not a member of a workspace that ${NAME} owns`);
    for (const { workspaceId } of common)
      await handOverWorkspace(deps, { ...actorFor(user), workspaceId, role: 'owner' }, member.userId);
    return `Handed over to ${member.userName}: ${common.map(({ name }) => name).join(', ')}`;
  });
}

/**
 * `campanile users delete`. Throws a StartupError unless it is confirmed, and for the owner of a workspace with other members unless the
 * deletion of that is asked for, too.
 */
export function deleteUser(given: NamedShell<Confirmed & { 'with-shared-workspaces': boolean }>): Promise<number> {
  return actOn(given, async (deps, user) => {
    const { 'with-shared-workspaces': removesMembers } = given.options;
    const shared = (await selectOwnWorkspaces(deps.db, user.userId)).filter(
      (one) => one.role === 'owner' && one.members > 1,
    );
    if (shared.length > 0 && !removesMembers)
      throw new StartupError(
        `${user.userName} owns workspaces with other members: ${shared.map(({ name, members }) => `${name} (${members})`).join(', ')}. Hand them over with "campanile users hand-over", or add --with-shared-workspaces to delete them too.`,
      );
    if (!given.options.yes)
      throw new StartupError(
        `This permanently deletes ${user.userName} (${user.email}) and everything in the workspace. Add --yes to confirm.`,
      );
    // The log of the deleted goes with them.
    await endUser(deps, user, (trx) => recordCommand(trx, 'user.deleted', String(user.userId)), { removesMembers });
    return `Deleted ${user.userName}`;
  });
}

/** `campanile users list`. */
export async function listUsers({ args: { SEARCH: search }, options: { json }, output }: Given<'[SEARCH]', JsonFlag>) {
  const found = await withUsers(async ({ db }) => {
    const users = await selectUsers(db, { search, limit: MOST_LISTED, before: undefined });
    const workspaces = await selectWorkspacesOf(
      db,
      users.map(({ userId }) => userId),
    );
    return users.map((user) => ({
      ...user,
      workspaces: (workspaces.get(user.userId) ?? []).map(({ workspaceId, name, role }) => ({
        workspaceId,
        name,
        role,
      })),
    }));
  });
  if (json) return writeJson(output, { users: found });
  const rows = found.map(({ userName, email, createdAt, lastSignInAt, isAdmin, disabledAt, workspaces }) => [
    userName,
    email,
    createdAt.toISOString(),
    lastSignInAt?.toISOString() ?? 'never',
    disabledAt ? 'disabled' : isAdmin ? 'administrator' : 'user',
    workspaces.map(({ name, role }) => `${name} (${role})`).join(', '),
  ]);
  return writeTable(output, ['name', 'e-mail', 'since', 'last sign-in', 'standing', 'workspaces'], rows);
}

/**
 * `campanile users create`. Works before the first start, too: the first user becomes the administrator, so an operator creates it before
 * strangers can sign up.
 */
export async function createNamedUser({ args, output }: Given<'NAME' | 'E-MAIL' | 'NUMBER'>): Promise<number> {
  const { NAME: userName, 'E-MAIL': email, NUMBER: number } = args;
  const password = makePassword();
  const numbers = { phoneNumber: number, whatsappNumber: number };
  const person = { ...numbers, userName, email, password, firstName: userName, lastName: '' };
  await withUsers(
    async (deps, { isNew, config }) => {
      const user = await createUser(deps, person, COMMAND_LINE);
      output.write(`Created ${user.userName}. Password: ${password}. Change it after signing in.\n`);
      const where = config.databaseUrl === undefined ? `DATA_DIR (${config.dataDir})` : 'DATABASE_URL';
      if (isNew) output.write(`The user is the administrator of a new database, which was created in ${where}.\n`);
    },
    { createsDatabase: true },
  );
  return 0;
}

function makePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}
