import type { AccountDeps } from '../../../sending/accounts/connect-account.ts';
import { disconnectAccount } from '../../../sending/accounts/disconnect-account.ts';
import { disconnectAccountData } from '../../contract/accounts.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function disconnectAccountOperation(deps: AccountDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/disconnect-account',
    access: 'bearer',
    scope: 'admin',
    requiresRecentAuth: true,
    tag: 'Account',
    summary: 'End your link to the messaging application',
    description:
      'There too: the phone lists it no more. Where that cannot be done just now, `venom/account-status` says what to do on the phone. What is queued waits until the account is linked again.',
    body: nothing,
    data: disconnectAccountData,
    errors: [503],
    async handle({ actor }) {
      const { status } = await disconnectAccount(deps, actor);
      return { status };
    },
  });
}
