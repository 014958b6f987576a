import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Body } from '../api/operations.ts';
import { accountQuery, sendWindowQuery } from '../api/queries.ts';

export type Link = Body<'venom/connect-account'>;

/** Shows the passkey that WhatsApp asks for. Refetches the account's state afterwards: after a rejection the request is another. */
export function usePasskey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<'venom/submit-passkey'>) => call('venom/submit-passkey', body),
    onSettled: () => client.invalidateQueries({ queryKey: accountQuery.queryKey }),
  });
}

/** Links and unlinks the account. Refetches the account's state afterwards, also after an error. */
export function useAccountLink() {
  const client = useQueryClient();
  const onSettled = () => {
    void client.invalidateQueries({ queryKey: sendWindowQuery.queryKey });
    return client.invalidateQueries({ queryKey: accountQuery.queryKey });
  };
  const linking = useMutation({ mutationFn: (link: Link) => call('venom/connect-account', link), onSettled });
  const unlinking = useMutation({
    mutationFn: (signal: AbortSignal | void) => call('venom/disconnect-account', {}, signal ? { signal } : {}),
    onSettled,
  });
  return { linking, unlinking };
}
