import { sql } from 'kysely';
import { resumeAccount } from '../sending/accounts/resume-account.ts';
import { findOwnAccount } from '../sending/accounts/store.ts';
import type { Database } from '../platform/database/connect.ts';
import { StartupError, UsageError } from '../platform/errors/errors.ts';
import { actorFor, requireUser, withUsers } from './open-users.ts';
import type { Shell } from './shell.ts';
import { writeTable } from './write-table.ts';

/** The most accounts of one list, those that need attention first. */
const MOST_LISTED = 1_000;

/** `campanile accounts …`: how accounts stand, and letting one go on that was stopped. */
export async function accounts({ given, output }: Shell): Promise<number> {
  const [word, name, more] = given;
  if (more !== undefined) throw new UsageError('Too many arguments');
  if (word === 'list' && name === undefined) await list(output);
  else if (word === 'release' && name !== undefined) await release(name, output);
  else throw new UsageError('Expected "list" or "release NAME"');
  return 0;
}

interface ListedAccount {
  userName: string;
  messenger: string;
  status: string;
  reason: string | null;
}

async function list(output: NodeJS.WritableStream): Promise<void> {
  const found = await withUsers(({ db }) => readAccounts(db));
  writeTable(
    output,
    ['user', 'messenger', 'status', 'why'],
    found.map(({ userName, messenger, status, reason }) => [userName, messenger, status, reason ?? '']),
  );
}

async function readAccounts(db: Database): Promise<ListedAccount[]> {
  const { rows } = await sql<ListedAccount>`
    select u.user_name as "userName", a.messenger,
           case when a.stop_reason is null then a.status::text else 'stopped' end as status,
           coalesce(a.stop_reason, a.status_reason) as reason
    from accounts a join memberships m using (workspace_id) join users u using (user_id)
    where u.deleted_at is null
    order by a.stop_reason is null, a.status = 'connected', u.user_name limit ${MOST_LISTED}`.execute(db);
  return rows;
}

async function release(name: string, output: NodeJS.WritableStream): Promise<void> {
  await withUsers(async (deps) => {
    const user = await requireUser(deps, name);
    const account = await findOwnAccount(deps.db, user.workspaceId);
    if (account.stopReason === null) throw new StartupError(`The account of ${user.userName} is not stopped`);
    await resumeAccount(deps.db, actorFor(user), account);
  });
  output.write(`Recounted the posts of ${name}'s account. It continues to send.\n`);
}
