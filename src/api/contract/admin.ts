/** The wire of administrators (contract §4). */
import { z } from 'zod';
import { optional, text, withDefault } from './fields.ts';
import { deleteAccountBody, ownProfile } from './users.ts';

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });

export const listUsersBody = z.object({
  search: optional(text(1, 100)).meta({ description: 'Part of a name or an address, in any case.' }),
  limit: withDefault(z.int().min(1).max(200), 50),
  cursor: optional(text(1, 200)).meta({ description: '`next_cursor` of the page before.' }),
});

export const listUsersData = z.object({
  users: z.array(
    z.object({
      user_id: z.number().int(),
      user_name: z.string(),
      email: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      is_admin: z.boolean(),
      email_verified: z.boolean(),
      created_at: instant,
      last_sign_in_at: instant.nullable().meta({ description: 'Within the last year.' }),
      disabled_at: instant.nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export const userBody = z.object({ user_id: z.int() }).meta({ id: 'OneUser' });

export const managedUserData = ownProfile.extend({ disabled_at: instant.nullable() });

export const deleteUserBody = userBody
  .extend({ password: deleteAccountBody.shape.password.meta({ description: 'Your own.' }) })
  .meta({ id: 'DeleteUser' });

export const listInvitationsData = z.object({
  invitations: z.array(z.object({ email: z.string(), expires_at: instant })),
});
