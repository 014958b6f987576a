import { useQuery } from '@tanstack/react-query';
import type { ListedAccount } from './operations.ts';
import { accountsQuery } from './queries.ts';

/** Returns the accounts of the workspace if it has several; undefined with one, and while that is unknown. */
export function useSeveralAccounts(): readonly ListedAccount[] | undefined {
  const { data } = useQuery(accountsQuery);
  return data !== undefined && data.length > 1 ? data : undefined;
}

/** Returns whether an account can send now. */
export function isUp({ down_since: downSince }: ListedAccount): boolean {
  return downSince === null;
}

/** Returns the address of the page of one account. */
export function accountPath({ is_default: isDefault, account_id: id }: ListedAccount): string {
  return isDefault ? '/account' : `/account?account=${id}`;
}
