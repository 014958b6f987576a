import { connectAccount, type AccountDeps } from '../../../accounts/connect-account.ts';
import { connectAccountBody, connectAccountData } from '../../contract/accounts.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toWireCode } from '../live-events.ts';

export function connectAccountOperation(deps: AccountDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/connect-account',
    access: 'bearer',
    scope: 'send',
    tag: 'Account',
    summary: 'Link your account to the messaging application',
    description:
      'Only the number you signed up with can be linked. An account that was stopped goes on. While the status is `linking`, `venom/account-status` has the code that is good just now.',
    body: connectAccountBody,
    data: connectAccountData,
    errors: [409, 503],
    async handle({ body, actor }) {
      const { messenger, method } = body;
      const state = await connectAccount(deps, actor, { messenger, method });
      return { status: state.status, ...toWireCode(state) };
    },
  });
}
