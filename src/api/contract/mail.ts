/** The wire of what mails are about: proven addresses, forgotten passwords, invitations (contract §4). */
import { z } from 'zod';
import { text, withDefault } from './fields.ts';
import { createUserBody } from './users.ts';

const code = text(1, 200).meta({ description: 'What stands behind the `#` of the link.' });

export const codeBody = z.object({ code }).meta({ id: 'LinkCode' });

export const requestPasswordResetBody = z
  .object({
    user_name: text(1, 254).meta({ description: 'The user name or the e-mail address.', examples: ['alice'] }),
  })
  .meta({ id: 'RequestPasswordReset' });

export const resetPasswordBody = z
  .object({
    code,
    new_password: createUserBody.shape.password,
    keep_api_keys: withDefault(z.boolean(), false).meta({ description: 'API keys are revoked unless this is true.' }),
  })
  .meta({ id: 'ResetPassword' });

export const emailBody = z.object({ email: createUserBody.shape.email }).meta({ id: 'EmailAddress' });

export const inviteData = z.object({
  code: z
    .string()
    .optional()
    .meta({ description: 'For `accept_invite`. Only where no mails are sent: hand it on yourself.' }),
});

export const acceptInviteBody = createUserBody
  .omit({ email: true })
  .extend({ code })
  .meta({ id: 'AcceptInvite', description: 'As of create_user; the e-mail address is the one that was invited.' });
