import type { UserDependencies } from '../../../identity/dependencies.ts';
import { listFactors } from '../../../identity/factors/manage-factors.ts';
import { listFactorsData } from '../../contract/factors.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listFactorsOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/list_factors',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'List your second factors',
    body: nothing,
    data: listFactorsData,
    errors: [],
    async handle({ actor }) {
      const { factors, recoveryCodes } = await listFactors(deps, actor.userId);
      return {
        factors: factors.map(({ factorId, kind, name, createdAt, lastUsedAt }) => ({
          factor_id: factorId,
          kind,
          name,
          created_at: createdAt.toISOString(),
          last_used_at: lastUsedAt?.toISOString() ?? null,
        })),
        recovery_codes_left: recoveryCodes,
      };
    },
  });
}
