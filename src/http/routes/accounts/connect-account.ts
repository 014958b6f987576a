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
      'Only your own number can be linked; until that has succeeded once, `user/update_profile` changes it. An account that was stopped goes on. While the status is `linking`, `venom/account-status` has the code that is good just now.',
    body: connectAccountBody,
    data: connectAccountData,
    errors: [409, 503],
    async handle({ body, actor }) {
      const { messenger, method, warm_up: warmUp } = body;
      const state = await connectAccount(deps, actor, { messenger, method, warmUp });
      return { status: state.status, ...toWireCode(state) };
    },
  });
}
