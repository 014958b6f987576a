import { readAccountHistory } from '../../accounts/account-history.ts';
import { readAccountStatus } from '../../accounts/account-status.ts';
import { connectAccount, type AccountDeps } from '../../accounts/connect-account.ts';
import { disconnectAccount } from '../../accounts/disconnect-account.ts';
import * as wire from '../contract/accounts.ts';
import { nothing } from '../contract/fields.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { toAccountEvent, toWireCode } from './live-events.ts';

/** How users link their account to the messaging application, and see how it stands (contract §4). */
export function accountOperations(deps: AccountDeps): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/venom/connect-account',
      access: 'bearer',
      scope: 'send',
      tag: 'Account',
      summary: 'Link your account to the messaging application',
      description:
        'Only the number you signed up with can be linked. While the status is `linking`, `venom/account-status` has the code that is good just now.',
      body: wire.connectAccountBody,
      data: wire.connectAccountData,
      errors: [409, 503],
      async handle({ body, actor }) {
        const { messenger, method } = body;
        const state = await connectAccount(deps, actor, { messenger, method });
        return { status: state.status, ...toWireCode(state) };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/account-status',
      access: 'bearer',
      scope: 'read',
      tag: 'Account',
      summary: 'See the state of your link to the messaging application',
      body: wire.accountStatusBody,
      data: wire.accountStatusData,
      errors: [],
      async handle({ body, caller }) {
        const state = toAccountEvent(await readAccountStatus(deps, caller.userId));
        if (!body.with_history) return state;
        const history = await readAccountHistory(deps, caller.userId);
        return { ...state, history: history.map(({ at, ...past }) => ({ at: at.toISOString(), ...past })) };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/disconnect-account',
      access: 'bearer',
      scope: 'send',
      tag: 'Account',
      summary: 'End your link to the messaging application',
      description:
        'There too: the phone lists it no more. Where that cannot be done just now, `venom/account-status` says what to do on the phone. What is queued waits until the account is linked again.',
      body: nothing,
      data: wire.disconnectAccountData,
      errors: [503],
      async handle({ actor }) {
        const { status } = await disconnectAccount(deps, actor);
        return { status };
      },
    }),
  ];
}
