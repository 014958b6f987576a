import type { UserDependencies } from '../../../identity/dependencies.ts';
import { endSession } from '../../../identity/sessions/end-session.ts';
import { endSessionBody } from '../../contract/sessions.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function endSessionOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/end_session',
    access: 'bearer',
    scope: 'token',
    requiresRecentAuth: true,
    tag: 'Users',
    summary: 'Sign out one of your sessions',
    description: 'Also the one that asks. Holds on every process within a second. `revoke_tokens` ends all.',
    body: endSessionBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      await endSession(deps, actor, body.session_id);
      return {};
    },
  });
}
