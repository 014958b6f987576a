/** The wire of second factors, and of proving anew who one is (contract §4). */
import { z } from 'zod';
import { optional, text } from './fields.ts';

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });
const factorId = z.number().int();

/** Six digits, or a recovery code; blanks and dashes may be among them. */
export const factorCode = text(1, 64).meta({
  description: 'Six digits of the authenticator app, each taken once, or a recovery code.',
  examples: ['123456'],
});

export const recoveryCodesData = z.object({
  recovery_codes: z.array(z.string()).meta({
    description:
      'Ten codes, each good once in place of a factor; shown here and never again. Empty for who has some left.',
  }),
});

export const listFactorsData = z.object({
  factors: z.array(
    z.object({
      factor_id: factorId,
      kind: z.enum(['totp', 'passkey']),
      name: z.string().meta({ description: 'Of a passkey, as its owner calls it.' }),
      created_at: instant,
      last_used_at: instant.nullable(),
    }),
  ),
  recovery_codes_left: z.number().int(),
});

export const addTotpData = z.object({
  secret: z.string().meta({ description: 'The key in base32, to type into an authenticator app.' }),
  uri: z.string().meta({ description: 'The same as an app scans it: `otpauth://totp/…`.' }),
});

export const confirmTotpBody = z.object({ code: factorCode });
export const removeFactorBody = z.object({ factor_id: z.int() });

export const confirmIdentityBody = z
  .object({
    password: optional(text(1, 1024).meta({ format: 'password' })),
    code: optional(factorCode),
  })
  .meta({ id: 'ConfirmIdentity', description: '`code` from those with a second factor, `password` from all others.' });

export const confirmIdentityData = z.object({
  token: z.string().meta({ description: 'The same token with the proof in it. It ends when the one of before does.' }),
});
