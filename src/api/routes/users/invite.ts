import type { UserDependencies } from '../../../identity/dependencies.ts';
import { invite } from '../../../identity/invite.ts';
import { emailBody, inviteData } from '../../contract/mail.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function inviteOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/invite',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'Invite somebody to sign up',
    description:
      'For administrators, where sign-up is not closed. The invitation holds for seven days and works once; another to the same address takes its place. 100 an hour at most.',
    body: emailBody,
    data: inviteData,
    errors: [409],
    async handle({ body, actor }) {
      return invite(deps, actor, body.email);
    },
  });
}
