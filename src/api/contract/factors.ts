/** Second factors and re-authentication (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { count, instant, optional, text } from './fields.ts';

/** Six digits, or a recovery code; blanks and dashes may be among them. */
export const factorCode = text(1, 64).meta({
  description: 'A six-digit code of the authenticator app, or a recovery code. Each works once.',
  examples: ['123456'],
});

const recoveryCodesData = z.object({
  recovery_codes: z
    .array(z.string())
    .describe(
      'Ten codes, each of which replaces a second factor once. Shown only once. Empty if earlier codes are left.',
    ),
});

const factor = z.object({
  factor_id: count,
  kind: z.enum(['totp', 'passkey']),
  name: z.string().describe('The label of a passkey.'),
  created_at: instant,
  last_used_at: instant.nullable(),
});

export const confirmIdentityBody = z
  .object({
    password: optional(text(1, 1024).meta({ format: 'password' })).describe(
      'Your password, if you have no second factor.',
    ),
    code: optional(factorCode).describe('A code, if you have a second factor.'),
  })
  .meta({ id: 'ConfirmIdentity', description: 'Users with a second factor send `code`, all others `password`.' });

const shared = { tag: 'Users', access: 'token', role: 'none' } as const;

export const factors = defineOperations(shared, {
  listFactors: {
    path: '/api/v1/user/list_factors',
    idempotency: 'always',
    summary: 'List your second factors',
    data: z.object({ factors: z.array(factor), recovery_codes_left: count }),
  },
  addTotp: {
    path: '/api/v1/user/add_totp',
    requiresRecentAuth: true,
    summary: 'Start adding an authenticator app (TOTP)',
    description: 'The app becomes a second factor when `user/confirm_totp` accepts its first code.',
    data: z.object({
      secret: z.string().describe('The secret in base32, to be typed into an authenticator app.'),
      uri: z.string().describe('The secret as an `otpauth://totp/…` URI, for a QR code.'),
    }),
    errors: ['factor_exists'],
  },
  confirmTotp: {
    path: '/api/v1/user/confirm_totp',
    requiresRecentAuth: true,
    summary: 'Confirm an authenticator app with its first code',
    description: 'From then on `user/authorize_user` requires `code`. An incorrect code is a 400 on that field.',
    body: z.object({ code: factorCode }),
    data: recoveryCodesData,
    errors: ['factor_missing', 'too_many_attempts', 'sign_ins_busy'],
  },
  removeFactor: {
    path: '/api/v1/user/remove_factor',
    requiresRecentAuth: true,
    summary: 'Remove a second factor',
    description: 'With the last factor the recovery codes are deleted, and sign-in requires the password alone.',
    body: z.object({ factor_id: z.int() }),
    errors: ['factor_not_found'],
  },
  renewRecoveryCodes: {
    path: '/api/v1/user/renew_recovery_codes',
    requiresRecentAuth: true,
    summary: 'Replace your recovery codes',
    description: 'Returns ten new codes. Earlier codes stop working.',
    data: recoveryCodesData,
    errors: ['factor_missing'],
  },
  confirmIdentity: {
    path: '/api/v1/user/confirm_identity',
    summary: 'Re-authenticate',
    description:
      'Some operations require a token whose bearer has authenticated within the last 10 minutes: by signing in, or by this operation.',
    body: confirmIdentityBody,
    data: z.object({
      token: z.string().describe('A token with a recent authentication. It expires when the previous one does.'),
    }),
    errors: ['too_many_attempts', 'sign_ins_busy'],
  },
});
