import { call } from '../api/call.ts';

export const MEMBERS = ['members'];
export const INVITATIONS = ['workspace-invitations'];

export const membersQuery = {
  queryKey: MEMBERS,
  queryFn: ({ signal }: { signal: AbortSignal }) => call('workspace/list-members', {}, { signal }),
};
