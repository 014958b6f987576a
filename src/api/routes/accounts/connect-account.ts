import { connectAccount, type ConnectDeps } from '../../../sending/accounts/connect-account.ts';
import { connectAccountBody, connectAccountData } from '../../contract/accounts.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toWireCode } from '../live-events.ts';

export function connectAccountOperation(deps: ConnectDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/connect-account',
    access: 'bearer',
    scope: 'admin',
    tag: 'Account',
    summary: 'Link your account to the messaging application',
    description:
      'Only your own number can be linked; until that has succeeded once, `user/update_profile` changes it. An account that was stopped goes on. While the status is `linking`, `venom/account-status` has the code that is good just now. A pairing code makes WhatsApp ask on the phone, so it is for a number that was linked here before or that no other user has entered, and three an hour for one number; a QR code is for any.',
    body: connectAccountBody,
    data: connectAccountData,
    errors: [409, 429, 503],
    async handle({ body, actor }) {
      const { messenger, method, warm_up: warmUp } = body;
      const state = await connectAccount(deps, actor, { messenger, method, warmUp });
      return { status: state.status, ...toWireCode(state) };
    },
  });
}
