import type { UserDependencies } from '../../../identity/dependencies.ts';
import { withdrawInvitation } from '../../../identity/invite.ts';
import { emailBody } from '../../contract/mail.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function withdrawInvitationOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/admin/withdraw_invitation',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'Take an invitation back',
    body: emailBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      await withdrawInvitation(deps, actor, body.email);
      return {};
    },
  });
}
