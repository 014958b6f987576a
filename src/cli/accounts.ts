import { sql } from 'kysely';
import { resumeAccount } from '../sending/accounts/resume-account.ts';
import { findOwnAccounts } from '../sending/accounts/store.ts';
import type { Database } from '../platform/database/connect.ts';
import { StartupError } from '../platform/errors/errors.ts';
import type { Shell } from './command.ts';
import { actorFor, requireUser, withUsers } from './open-users.ts';
import { writeJson } from './write-json.ts';
import { writeTable } from './write-table.ts';
import type { AccountId } from '../platform/database/schema.ts';

/** The most accounts of one list, those that need attention first. */
const MOST_LISTED = 1_000;

/** `campanile accounts list`. */
export async function listAccounts({
  options: { json },
  output,
}: Shell & { options: { json: boolean } }): Promise<number> {
  const found = await withUsers(({ db }) => readAccounts(db));
  if (json) {
    const accounts = found.map(({ userName, accountId, name, messenger, status, reason }) => ({
      user_name: userName,
      account_id: accountId,
      name,
      messenger,
      status,
      reason,
    }));
    writeJson(output, { accounts });
    return 0;
  }
  writeTable(
    output,
    ['user', 'messenger', 'status', 'account', 'why'],
    found.map(({ userName, accountId, name, messenger, status, reason }) => [
      userName,
      messenger,
      status,
      name ?? String(accountId),
      reason ?? '',
    ]),
  );
  return 0;
}

interface ListedAccount {
  userName: string;
  accountId: AccountId;
  /** null: it has none. */
  name: string | null;
  messenger: string;
  status: string;
  reason: string | null;
}

async function readAccounts(db: Database): Promise<ListedAccount[]> {
  const { rows } = await sql<ListedAccount>`
    select u.user_name as "userName", a.account_id as "accountId", a.name, a.messenger,
           case when a.stop_reason is null then a.status::text else 'stopped' end as status,
           coalesce(a.stop_reason, a.status_reason) as reason
    from accounts a join memberships m using (workspace_id) join users u using (user_id)
    where m.role = 'owner' and u.deleted_at is null and a.removed_at is null
    order by a.stop_reason is null, a.status = 'connected', u.user_name, a.account_id limit ${MOST_LISTED}`.execute(db);
  return rows;
}

/** `campanile accounts release`: lets the accounts of a user go on that were stopped. */
export async function releaseAccount({ args: { NAME }, output }: Shell & { args: { NAME: string } }): Promise<number> {
  await withUsers(async (deps) => {
    const user = await requireUser(deps, NAME);
    const accounts = await findOwnAccounts(deps.db, user.workspaceId);
    const stopped = accounts.filter(({ stopReason }) => stopReason !== null);
    if (stopped.length === 0) throw new StartupError(`The account of ${user.userName} is not stopped`);
    for (const account of stopped) await resumeAccount(deps.db, actorFor(user), account);
  });
  output.write(`Recounted the posts of ${NAME}'s account. It continues to send.\n`);
  return 0;
}
