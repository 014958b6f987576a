import type { UserDependencies } from '../../../identity/dependencies.ts';
import { listInvitations } from '../../../identity/invite.ts';
import { listInvitationsData } from '../../contract/admin.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listInvitationsOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/admin/list_invitations',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'List the invitations that nobody has accepted yet',
    body: nothing,
    data: listInvitationsData,
    errors: [],
    async handle({ actor }) {
      const invitations = await listInvitations(deps, actor);
      return {
        invitations: invitations.map(({ email, expiresAt }) => ({ email, expires_at: expiresAt.toISOString() })),
      };
    },
  });
}
