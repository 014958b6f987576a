import type { UserDependencies } from '../../../identity/dependencies.ts';
import { verifyEmail } from '../../../identity/verify-email.ts';
import { codeBody } from '../../contract/mail.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function verifyEmailOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/verify_email',
    access: 'open',
    tag: 'Users',
    summary: 'Prove an e-mail address with the code of a link',
    body: codeBody,
    data: nothingData,
    errors: [],
    async handle({ body, address }) {
      await verifyEmail(deps, body.code, address);
      return {};
    },
  });
}
