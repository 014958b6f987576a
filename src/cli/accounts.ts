import { readRows } from '../platform/database/statements.ts';
import { findWaits } from '../sending/accounts/find-waits.ts';
import { resumeAccount } from '../sending/accounts/connect-account.ts';
import { findAccounts, findOwnAccounts } from '../sending/accounts/store.ts';
import type { WaitReason } from '../workspaces/events/wait-reasons.ts';
import { translatorFor } from '../platform/i18n/load-messages.ts';
import { StartupError } from '../platform/errors/errors.ts';
import type { Given, JsonFlag } from './command.ts';
import { actorFor, requireUser, withUsers } from './open-users.ts';
import { writeJson } from './write-json.ts';
import type { Opened } from './with-database.ts';
import { writeTable } from './write-table.ts';
import type { AccountId } from '../platform/database/schema.ts';

/** The most accounts of one list, those that need attention first. */
const MOST_LISTED = 1_000;

/** `campanile accounts list`. */
export async function listAccounts({ options: { json }, output }: Given<never, JsonFlag>): Promise<number> {
  const found = await withUsers((_deps, opened) => readAccounts(opened));
  if (json) return writeJson(output, { accounts: found });
  const rows = found.map(({ userName, accountId, name, messenger, status, reason, waitsUntil }) => [
    userName,
    messenger,
    status,
    name ?? String(accountId),
    [reason ?? '', ...(waitsUntil ? [`Until ${waitsUntil.toISOString()}.`] : [])].join(' '),
  ]);
  return writeTable(output, ['user', 'messenger', 'status', 'account', 'why nothing is sent'], rows);
}

interface ListedAccount {
  userName: string;
  accountId: AccountId;
  /** null: it has none. */
  name: string | null;
  messenger: string;
  status: string;
  /** Why nothing is sent now; null: what is due leaves. */
  waitsFor: WaitReason | null;
  waitsUntil: Date | null;
  reason: string | null;
}

async function readAccounts({ db, config }: Pick<Opened, 'db' | 'config'>): Promise<ListedAccount[]> {
  const rows = await readRows<Omit<ListedAccount, 'waitsFor' | 'waitsUntil' | 'reason'>>(db)`
    select u.user_name as "userName", a.account_id as "accountId", a.name, a.messenger,
           case when a.disabled_at is not null then 'disabled' when a.stop_reason is not null then 'stopped' else a.status::text end as status
    from accounts a join memberships m using (workspace_id) join users u using (user_id)
    where m.role = 'owner' and u.deleted_at is null and a.removed_at is null
    order by a.stop_reason is null, a.status = 'connected', u.user_name, a.account_id limit ${MOST_LISTED}`;
  const ids = rows.map(({ accountId }) => accountId);
  const accounts = (await findAccounts(db, ids)).filter((account) => account !== undefined);
  const waits = await findWaits(db, accounts, config.timeZone);
  const t = translatorFor('en');
  return rows.map((row) => {
    const wait = waits.get(row.accountId);
    if (!wait) return { ...row, waitsFor: null, waitsUntil: null, reason: null };
    return { ...row, waitsFor: wait.reason, waitsUntil: wait.until, reason: t(`waits.${wait.reason}`) };
  });
}

/** `campanile accounts release`: lets the accounts of a user go on that were stopped. */
export async function releaseAccount({ args: { NAME }, output }: Given<'NAME'>): Promise<number> {
  await withUsers(async (deps) => {
    const user = await requireUser(deps, NAME);
    const accounts = await findOwnAccounts(deps.db, user.workspaceId);
    if (accounts.some(({ disabledAt }) => disabledAt))
      throw new StartupError(
        `${user.userName} is disabled, so nothing is sent. Let the posts leave with "campanile users enable ${user.userName}".`,
      );
    const stopped = accounts.filter(({ stopReason }) => stopReason !== null);
    if (stopped.length === 0) throw new StartupError(`The account of ${user.userName} is not stopped`);
    for (const account of stopped) await resumeAccount(deps.db, actorFor(user), account);
  });
  output.write(`Recounted the posts of ${NAME}'s account. It continues to send.\n`);
  return 0;
}
