import { execute, hasRow, readColumn, type Connection } from '../../platform/database/statements.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { isSameNumber } from '../../platform/phone/phone-number.ts';
import type { MessengersCapabilities } from '../../messengers/messenger.ts';
import { assertNumberUnused } from './assert-number.ts';
import { findOwnAccount, isLinkedHere, LINKED, lockOwnLane } from './store.ts';

/** A phone number as it was written, and its digits. */
export interface WrittenNumber {
  written: string;
  digits: string;
}

/**
 * Prepares the default accounts of the workspaces that the actor owns for another number of theirs, as `prepareAccount` does. An account that
 * keeps the number of a former owner is left out.
 */
export async function prepareNumberChange(
  trx: Connection,
  actor: Actor,
  change: { number: WrittenNumber; messengers: MessengersCapabilities },
): Promise<void> {
  const workspaceIds = await readColumn<WorkspaceId>(trx)`
    select a.workspace_id from memberships m join accounts a using (workspace_id)
    where m.user_id = ${actor.userId} and m.role = 'owner' and a.is_default and a.whatsapp_number is null order by a.account_id`;
  for (const workspaceId of workspaceIds) await prepareAccount(trx, { ...actor, workspaceId }, change);
}

/**
 * Prepares the account for another number of its owner, in the transaction that then writes the number. The same number in another
 * notation is always allowed. Throws `conflict` once a phone was linked, while one is being linked, and if the number is linked to
 * another account.
 */
async function prepareAccount(
  trx: Connection,
  actor: Actor,
  { number, messengers }: { number: WrittenNumber; messengers: MessengersCapabilities },
): Promise<void> {
  const { accountId } = await findOwnAccount(trx, actor.workspaceId);
  await lockOwnLane(trx, accountId);
  const account = await findOwnAccount(trx, actor.workspaceId);
  const isSame = isSameNumber(account.phoneNumber, number.digits);
  if (isSame && account.whatsappNumber === number.written) return;
  if (!isSame) {
    if (account.linkedNumber !== null) throw new AppError('number_fixed', STAYS);
    const needsPhone = messengers.get(account.messenger)?.linksAtOnce !== true;
    const isBusy = account.status === 'linking' || (needsPhone && LINKED.has(account.status));
    if (isBusy || (await isBeingLinked(trx, accountId))) throw new AppError('number_being_linked', BEING_LINKED);
    const isTaken = await hasRow(trx)`select where ${isLinkedHere(number.digits)}`;
    if (isTaken) throw new AppError('number_taken', 'This number is linked to another account here');
    await assertNumberUnused(trx, { workspaceId: account.workspaceId, accountId, phoneNumber: number.digits });
    // What was said of the former number holds no more.
    await execute(trx)`
      update accounts
      set scanned_number = null, status_reason = case when scanned_number is null then status_reason end,
          status_code = case when scanned_number is null then status_code end
      where account_id = ${accountId}`;
  }
  await recordAudit(trx, { ...actor, action: 'account.number_changed', subject: number.written });
}

const STAYS =
  'A phone has been linked with your number, so the number can no longer change. To use another number, sign up again.';
const BEING_LINKED = 'Your account is being linked. Wait for the end or cancel the linking, then change the number.';

/** A session that was asked for just now and shows no code yet will go by the number of before. */
async function isBeingLinked(trx: Connection, accountId: AccountId): Promise<boolean> {
  return hasRow(trx)`
    select from account_commands
    where account_id = ${accountId} and kind = 'connect' and status in ('queued', 'running')
      and created_at > campanile_now() - interval '1 minute'
    limit 1`;
}
