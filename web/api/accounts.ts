import { useQuery } from '@tanstack/react-query';
import type { ListedAccount } from './operations.ts';
import { isRest, type Wait } from '../format/wait-text.ts';
import { accountsQuery } from './queries.ts';

/** Returns the accounts of the workspace if it has several; undefined with one, and while that is unknown. */
export function useSeveralAccounts(): readonly ListedAccount[] | undefined {
  const { data } = useQuery(accountsQuery);
  return data !== undefined && data.length > 1 ? data : undefined;
}

/** Returns whether all posts of the workspace reach simulated members only; false while that is unknown. */
export function useIsSandbox(): boolean {
  const { data } = useQuery(accountsQuery);
  return data !== undefined && data.length > 0 && data.every(({ messenger }) => messenger === 'sandbox');
}

/** A connection that is lost for a shorter time comes back by itself. */
const BLIP_MS = 60_000;

/** Returns whether an account can send now, surely in a moment, or once a rule allows it. */
export function isUp({ waits_for: wait }: Pick<ListedAccount, 'waits_for'>): boolean {
  return wait === undefined || isRest(wait) || isBlip(wait);
}

/** Whether a number was never linked. */
export function isNeverLinked({ reason, since }: Wait): boolean {
  return reason === 'not_linked' && since === null;
}

/** Whether an account was never linked, and nothing waits for it. */
export function isUnused({ waits_for: wait, queued }: ListedAccount): boolean {
  return wait !== undefined && isNeverLinked(wait) && queued === 0;
}

/** Whether the connection was lost just now. */
export function isBlip({ reason, since }: Wait): boolean {
  return reason === 'offline' && since !== null && Date.now() - Date.parse(since) < BLIP_MS;
}

/** Returns the address of the page of one account. */
export function accountPath({ is_default: isDefault, account_id: id }: ListedAccount): string {
  return isDefault ? '/account' : `/account?account=${id}`;
}
