import type { UserDependencies } from '../../../identity/dependencies.ts';
import { addTotp } from '../../../identity/factors/set-up-totp.ts';
import { addTotpData } from '../../contract/factors.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function addTotpOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/add_totp',
    access: 'bearer',
    scope: 'token',
    requiresRecentAuth: true,
    tag: 'Users',
    summary: 'Begin to set up an authenticator app as your second factor',
    description: 'Nothing changes until `user/confirm_totp` has had its first code.',
    body: nothing,
    data: addTotpData,
    errors: [409],
    handle: ({ actor }) => addTotp(deps, actor),
  });
}
