import { useQuery } from '@tanstack/react-query';
import type { ListedAccount } from './operations.ts';
import { accountsQuery } from './queries.ts';

/** Returns the accounts of the workspace if it has several; undefined with one, and while that is unknown. */
export function useSeveralAccounts(): readonly ListedAccount[] | undefined {
  const { data } = useQuery(accountsQuery);
  return data !== undefined && data.length > 1 ? data : undefined;
}

/** A connection that is lost for a shorter time comes back by itself. */
const BLIP_MS = 60_000;

/** Returns whether an account can send now, or surely in a moment. */
export function isUp({ down_since: downSince, status }: ListedAccount): boolean {
  return downSince === null || (status === 'reconnecting' && Date.now() - Date.parse(downSince) < BLIP_MS);
}

/** Returns the address of the page of one account. */
export function accountPath({ is_default: isDefault, account_id: id }: ListedAccount): string {
  return isDefault ? '/account' : `/account?account=${id}`;
}
