import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useMay } from '../api/workspace.ts';

const APPROVALS_KEY = ['approvals'] as const;

/** The open requests for approval, and the rules of the workspace. */
export const approvalsQuery = queryOptions({
  queryKey: APPROVALS_KEY,
  queryFn: ({ signal }) => call('venom/list-approvals', {}, { signal }),
});

export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: [...APPROVALS_KEY, id],
    queryFn: ({ signal }) => call('venom/get-approval', { approval_id: id }, { signal }),
  });

/** Whether the user has to ask for approval of a post to so many groups, in place of sending it; undefined while that is unknown. */
export function useMustAsk(groups: number): boolean | undefined {
  const { data } = useQuery(approvalsQuery);
  const maySend = useMay('manager');
  if (!data || maySend === undefined) return undefined;
  const { approval, over_groups: overGroups } = data.rules;
  return maySend ? approval === 'all' && groups > overGroups : approval !== 'never';
}
