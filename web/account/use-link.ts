import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Body } from '../api/operations.ts';
import { accountQueryOf, accountsQuery, sendWindowQueryOf } from '../api/queries.ts';
import { useChosenAccountId } from './chosen-account.ts';

export type Link = Omit<Body<'venom/connect-account'>, 'account_id'>;

/** Shows the passkey that WhatsApp asks for. Refetches the account's state afterwards: after a rejection the request is another. */
export function usePasskey() {
  const client = useQueryClient();
  const accountId = useChosenAccountId();
  return useMutation({
    mutationFn: (body: Omit<Body<'venom/submit-passkey'>, 'account_id'>) =>
      call('venom/submit-passkey', { ...body, account_id: accountId }),
    onSettled: () => client.invalidateQueries({ queryKey: accountQueryOf(accountId).queryKey }),
  });
}

/** Links and unlinks the account. Refetches the account's state afterwards, also after an error. */
export function useAccountLink() {
  const client = useQueryClient();
  const accountId = useChosenAccountId();
  const onSettled = () => {
    void client.invalidateQueries({ queryKey: sendWindowQueryOf(accountId).queryKey });
    void client.invalidateQueries({ queryKey: accountsQuery.queryKey });
    return client.invalidateQueries({ queryKey: accountQueryOf(accountId).queryKey });
  };
  const linking = useMutation({
    mutationFn: (link: Link) => call('venom/connect-account', { ...link, account_id: accountId }),
    onSettled,
  });
  const unlinking = useMutation({
    mutationFn: (signal: AbortSignal | void) =>
      call('venom/disconnect-account', { account_id: accountId }, signal ? { signal } : {}),
    onSettled,
  });
  return { linking, unlinking };
}
