import { readAccountHistory } from '../../../sending/accounts/account-history.ts';
import { readAccountStatus } from '../../../sending/accounts/account-status.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { accountStatusBody, accountStatusData } from '../../contract/accounts.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toAccountEvent } from '../live-events.ts';

export function accountStatusOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/account-status',
    access: 'bearer',
    scope: 'read',
    tag: 'Account',
    summary: 'See the state of your link to the messaging application',
    body: accountStatusBody,
    data: accountStatusData,
    errors: [],
    async handle({ body, actor }) {
      const state = await readAccountStatus(deps, actor);
      if (!body.with_history) return toAccountEvent(state);
      const history = await readAccountHistory(deps, actor);
      return {
        ...toAccountEvent(state),
        number_fixed: state.isNumberFixed,
        history: history.map(({ at, ...past }) => ({ at: at.toISOString(), ...past })),
      };
    },
  });
}
