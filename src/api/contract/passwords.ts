/** Passwords (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { currentPassword, withDefault, named } from './fields.ts';
import { linkCode, newPassword, userNameOrEmail } from './users.ts';

export const keepApiKeys = withDefault(z.boolean(), false).describe(
  'Keeps your API keys. By default they are revoked, too.',
);

export const passwords = defineOperations('Users', {
  changePassword: {
    path: '/api/v1/user/change_password',
    access: 'token',
    role: 'none',
    summary: 'Change your password',
    description:
      "Revokes all tokens except this request's. API keys are revoked unless `keep_api_keys` is `true`. An incorrect `current_password` is a 400 on that field.",
    body: named('ChangePassword', {
      current_password: currentPassword,
      new_password: newPassword,
      keep_api_keys: keepApiKeys,
    }),
    errors: ['changed_meanwhile', 'too_many_attempts', 'sign_ins_busy'],
  },
  requestPasswordReset: {
    path: '/api/v1/user/request_password_reset',
    access: 'open',
    summary: 'Request a password reset mail',
    description:
      'The link is valid for 30 minutes and works once. Limited to 3 mails an hour for a user name or e-mail address, and to 60 requests an hour for a client address.',
    body: named('RequestPasswordReset', { user_name: userNameOrEmail }),
    errors: ['too_many_attempts', 'sign_ins_busy'],
  },
  resetPassword: {
    path: '/api/v1/user/reset_password',
    access: 'open',
    summary: 'Reset a password',
    description:
      'Takes the code of the mailed link. Revokes all tokens, and all API keys unless `keep_api_keys` is `true`. Does not sign in.',
    body: named('ResetPassword', { code: linkCode, new_password: newPassword, keep_api_keys: keepApiKeys }),
  },
});
