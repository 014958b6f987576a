import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Group } from '../api/operations.ts';
import { fetchAllGroups } from '../api/queries.ts';

/** The first part of the keys of rules. */
export const SENDERS = ['senders'] as const;
const MOST_FOUND = 500;

export type GroupAccount = NonNullable<Group['accounts']>[number];

/** Which accounts are members of a group, and which one sends; undefined: the group is gone. */
export const groupAccountsQuery = ({
  group_metadata_id: id,
  group_name: name,
  kind,
}: Pick<Group, 'group_metadata_id' | 'group_name' | 'kind'>) =>
  queryOptions({
    queryKey: ['groups', 'accounts', id, name],
    queryFn: async ({ signal }): Promise<readonly GroupAccount[]> => {
      const body = { kind, search: name, with_accounts: true, limit: MOST_FOUND };
      const { groups } = await call('venom/list-groups', body, { signal });
      return groups.find((group) => group.group_metadata_id === id)?.accounts ?? [];
    },
  });

/** The rules on who sends that concern a group, and the earlier ones; without a group, the rules of the workspace. */
export const sendersQuery = (groupId?: number) =>
  queryOptions({
    queryKey: [...SENDERS, groupId ?? 'all'],
    queryFn: ({ signal }) => call('venom/list-senders', { group_metadata_id: groupId, with_history: true }, { signal }),
  });

/** The account that sends to each group now, by the group's id. Groups that no account can post to are missing. */
export const senderOfGroupsQuery = queryOptions({
  queryKey: ['groups', 'sender of each'],
  queryFn: async (): Promise<ReadonlyMap<number, number>> => {
    const groups = await fetchAllGroups({ kind: undefined, search: '' }, { withAccounts: true });
    return new Map(
      groups.flatMap(({ group_metadata_id: id, accounts = [] }) => {
        const sender = accounts.find((account) => account.is_sender);
        return sender ? [[id, sender.account_id]] : [];
      }),
    );
  },
  staleTime: 30_000,
});
