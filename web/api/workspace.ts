import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { includesRole } from '../../src/workspaces/members/roles.ts';
import { call } from './call.ts';
import { chosenWorkspace } from './chosen-workspace.ts';
import type { Role, Workspace } from './operations.ts';
import { sessionQuery } from './session.ts';

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
  return data?.find((one) => String(one.workspace_id) === chosen);
}

/** Has the service remember the workspace that this page shows, so that other devices open it. */
export function useRememberWorkspace(): void {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const id = useWorkspace()?.workspace_id;
  const isNew = session && id !== undefined && session.workspace_id !== id;
  useEffect(() => {
    if (!isNew) return;
    client.setQueryData(sessionQuery.queryKey, (before) => (before ? { ...before, workspace_id: id } : before));
    // Unanswered, the next page tries again.
    call('workspace/open-workspace', {}).catch(() => undefined);
  }, [client, isNew, id]);
}

/** Returns whether the user's role in the workspace includes `role`; undefined while that is unknown. */
export function useMay(role: Role): boolean | undefined {
  const workspace = useWorkspace();
  return workspace && includesRole(workspace.role, role);
}
