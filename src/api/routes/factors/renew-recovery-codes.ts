import type { UserDependencies } from '../../../identity/dependencies.ts';
import { renewRecoveryCodes } from '../../../identity/factors/manage-factors.ts';
import { recoveryCodesData } from '../../contract/factors.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function renewRecoveryCodesOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/renew_recovery_codes',
    access: 'bearer',
    scope: 'token',
    requiresRecentAuth: true,
    tag: 'Users',
    summary: 'Get ten new recovery codes in place of those of before',
    body: nothing,
    data: recoveryCodesData,
    errors: [409],
    async handle({ actor }) {
      return { recovery_codes: await renewRecoveryCodes(deps, actor) };
    },
  });
}
