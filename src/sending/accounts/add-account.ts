import { execute, hasRow, readCount, sql, type Connection } from '../../platform/database/statements.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { QUOTAS, type Quotas } from '../../workspaces/quotas/quotas.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { FICTITIOUS } from '../../platform/phone/phone-number.ts';
import { assertNumberUnused } from './assert-number.ts';
import type { WrittenNumber } from './change-number.ts';
import type { AccountDeps } from './connect-account.ts';
import { insertAccount } from './link-account.ts';
import { describeAccounts, type ListedAccount } from './list-accounts.ts';
import { changeOwnData, type OwnData } from './own-data.ts';
import { shareRuns, findOwnAccount, isLinkedHere, lockOwnLedger } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import { STOPPED } from './quarantine-account.ts';

export interface AddAccountDeps extends Omit<AccountDeps, 'waiters'> {
  /** The messenger of new accounts unless another is asked for. */
  defaultMessenger: string;
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
}

export interface NewAccount extends OwnData {
  name: string;
  messenger: string | undefined;
  /** Required where a phone has to agree to a link, and ignored in a test workspace. Undefined: a number of fiction. */
  number: WrittenNumber | undefined;
}

/**
 * Adds an account to the workspace, which may send any of its posts (contract §4, add-account). It is connected from the
 * start where no phone has to agree; in a test workspace it is on the sandbox. Throws `invalid` without a number that is needed,
 * `account_limit_reached`, `external_id_taken`, and `number_taken` when another account of the workspace has the number, or an account here is linked to it.
 */
export async function addAccount(deps: AddAccountDeps, actor: Actor, wanted: NewAccount): Promise<ListedAccount> {
  return deps.db.transaction().execute(async (trx) => {
    // Two requests at once are counted one after the other, and no run of the workspace begins meanwhile.
    await lockOwnLedger(trx, actor.workspaceId);
    const { isTest } = await findOwnAccount(trx, actor.workspaceId);
    await assertAccountLimit(trx, actor, deps.quotas ?? QUOTAS);
    const messenger = isTest ? findMessengerWithoutPhone(deps) : (wanted.messenger ?? deps.defaultMessenger);
    const needsPhone = deps.messengers.get(messenger)?.linksAtOnce !== true;
    // An account of the sandbox may be linked to a phone later, but for those of a test workspace.
    const number = isTest && !needsPhone ? undefined : wanted.number;
    if (number) await assertNumberFree(trx, actor, number);
    else if (needsPhone) throw invalid([fieldError('whatsapp_number', 'required')]);
    const added = await insertAccount(trx, {
      workspaceId: actor.workspaceId,
      messenger,
      isLinked: !needsPhone,
      further: { name: wanted.name, number },
    });
    if (!number) await inventNumber(trx, added);
    await changeOwnData(trx, 'account', { workspaceId: actor.workspaceId, id: added }, wanted);
    // From now on any delivery of these runs may be handed over to the account.
    await shareRuns(trx, actor.workspaceId);
    await stopLikeOthers(trx, actor, added);
    await recordAudit(trx, { ...actor, action: 'account.added', subject: wanted.name });
    const account = await findOwnAccount(trx, actor.workspaceId, added);
    const [listed] = await describeAccounts(trx, [account], deps.timeZone);
    if (!listed) throw new Error('an account that was just added is not there');
    return listed;
  });
}

/**
 * Where the records of sent posts contradict each other, no account sends until one is connected again; where the owner is disabled, none
 * until the owner is enabled.
 */
async function stopLikeOthers(trx: Connection, { workspaceId }: Actor, accountId: AccountId): Promise<void> {
  await execute(trx)`
    with stopped as (
      update accounts a set stop_reason = o.stop_reason, disabled_at = o.disabled_at
      from (
        select max(stop_reason) filter (where stop_reason = ${STOPPED}) as stop_reason, max(disabled_at) as disabled_at
        from accounts where workspace_id = ${workspaceId} and removed_at is null) o
      where a.account_id = ${accountId} and (o.stop_reason, o.disabled_at) is distinct from (null, null)
      returning account_id
    )
    update lanes l set held_until = 'infinity' from stopped s where l.account_id = s.account_id`;
}

/** The ledger must be locked. */
async function assertAccountLimit(trx: Connection, { workspaceId }: Actor, { accounts: limit }: Quotas): Promise<void> {
  const count = await readCount(trx)`
    select count(*) from accounts where workspace_id = ${workspaceId} and removed_at is null`;
  if (count >= limit)
    throw new AppError(
      'account_limit_reached',
      `You have reached the limit of ${limit} accounts in a workspace. Remove one first.`,
    );
}

function findMessengerWithoutPhone({ messengers, defaultMessenger }: AddAccountDeps): string {
  return [...messengers.values()].find(({ linksAtOnce }) => linksAtOnce === true)?.name ?? defaultMessenger;
}

/** A number of its own for an account without one, which no phone has. */
async function inventNumber(trx: Connection, accountId: AccountId): Promise<void> {
  const digits = sql`${FICTITIOUS} || lpad((account_id % 10000000)::text, 7, '0')`;
  await execute(trx)`
    update accounts set whatsapp_number = '+' || ${digits}, whatsapp_digits = ${digits} where account_id = ${accountId}`;
}

async function assertNumberFree(trx: Connection, { workspaceId }: Actor, number: WrittenNumber): Promise<void> {
  await assertNumberUnused(trx, { workspaceId, phoneNumber: number.digits });
  const isFound = await hasRow(trx)`select where ${isLinkedHere(number.digits)}`;
  if (isFound) throw new AppError('number_taken', 'This number is linked to another account here');
}
