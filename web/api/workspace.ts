import { queryOptions, useQuery } from '@tanstack/react-query';
import { includesRole } from '../../src/workspaces/members/roles.ts';
import { call } from './call.ts';
import { chosenWorkspace } from './chosen-workspace.ts';
import type { Role, Workspace } from './operations.ts';

/** The workspaces of the signed-in user, the default one first. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: async ({ signal }) => (await call('workspace/list-workspaces', {}, { signal })).workspaces,
  staleTime: 60_000,
});

/** Returns the workspace that this page shows; undefined while it is unknown. */
export function useWorkspace(): Workspace | undefined {
  const { data } = useQuery(workspacesQuery);
  const chosen = chosenWorkspace();
  return data?.find((one) => (chosen === undefined ? one.is_default : String(one.workspace_id) === chosen));
}

/** Returns whether the user's role in the workspace includes `role`; undefined while that is unknown. */
export function useMay(role: Role): boolean | undefined {
  const workspace = useWorkspace();
  return workspace && includesRole(workspace.role, role);
}
