import { deleteAccount } from '../../../identity/delete-account.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { deleteAccountBody, nothingData } from '../../contract/users.ts';
import { tokenOf } from '../../server/auth.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function deleteAccountOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/delete_account',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'Delete your account and everything in it',
    description:
      'For good. Campaigns stop, at most what is being sent just now still leaves; tokens and API keys are refused; your name and e-mail address are free again at once. Groups, campaigns, files and statistics are removed in the minutes that follow. A wrong `password` is a 400 on that field.',
    body: deleteAccountBody,
    data: nothingData,
    errors: [409, 429],
    async handle({ body, caller, actor }) {
      await deleteAccount(deps, actor, tokenOf(caller), body.password);
      return {};
    },
  });
}
