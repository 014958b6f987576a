import type { ListedAccount } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';

/** Returns what an account is called: its name, else its number; the default account may have neither. */
export function accountName({
  name,
  is_default: isDefault,
  whatsapp_number: number,
}: Pick<ListedAccount, 'name' | 'is_default' | 'whatsapp_number'>): string {
  return name ?? (isDefault || number === '' ? t('accounts.main') : number);
}

/** Returns the names of accounts by their ids. */
export function accountNames(accounts: readonly ListedAccount[]): ReadonlyMap<number, string> {
  return new Map(accounts.map((account) => [account.account_id, accountName(account)]));
}
