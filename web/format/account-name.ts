import type { ListedAccount } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';

/** Returns what an account is called: its name, else its number; the default account may have neither. */
export function accountName(
  account: Pick<ListedAccount, 'name' | 'is_default' | 'messenger' | 'whatsapp_number'>,
): string {
  const { name, is_default: isDefault } = account;
  return name ?? (isDefault ? undefined : shownNumber(account)) ?? t('accounts.main');
}

/** Returns the number to show for an account; undefined on the sandbox, where only the default account has one. */
export function shownNumber({
  is_default: isDefault,
  messenger,
  whatsapp_number: number,
}: Pick<ListedAccount, 'is_default' | 'messenger' | 'whatsapp_number'>): string | undefined {
  return number === '' || (!isDefault && messenger === 'sandbox') ? undefined : number;
}

/** Returns the names of accounts by their ids. */
export function accountNames(accounts: readonly ListedAccount[]): ReadonlyMap<number, string> {
  return new Map(accounts.map((account) => [account.account_id, accountName(account)]));
}
