import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ListedAccount } from '../api/operations.ts';
import { accountsQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';

/** Reads the groups of an account that has just been linked, once. The service does that by itself for the default account alone. */
export function useFirstSync(account: ListedAccount | undefined): void {
  const maySync = useMay('manager') === true;
  const { account_id: id, is_default: isDefault = true, status, groups } = account ?? {};
  useQuery({
    queryKey: ['first-sync', id],
    queryFn: async ({ client }) => {
      const counts = await call('venom/sync-groups', { account_id: id });
      for (const queryKey of [accountsQuery.queryKey, ['groups']]) void client.invalidateQueries({ queryKey });
      return counts;
    },
    enabled: maySync && !isDefault && status === 'connected' && groups === 0,
    staleTime: Infinity,
    retry: false,
  });
}
