/** The wire of the linked account (contract §4). */
import { z } from 'zod';
import { optional, withDefault } from './fields.ts';

const status = z
  .enum(['unlinked', 'linking', 'connected', 'reconnecting', 'paused', 'logged_out'])
  .meta({ id: 'AccountStatus' });
const qr = z.string().optional().meta({
  description: 'What the QR code is to contain that the phone scans. A new one follows before it expires.',
});
const pairingCode = z
  .string()
  .optional()
  .meta({
    description: 'Eight characters to be entered on the phone.',
    examples: ['K7R2M9QP'],
  });
const expiresAt = z
  .string()
  .optional()
  .meta({ format: 'date-time', description: 'Until when the code is good; ask for the status again by then.' });

export const connectAccountBody = z
  .object({
    messenger: optional(z.enum(['sandbox', 'whatsapp'])).meta({
      description: 'What to link to; the messenger that the account is for, unless given.',
    }),
    method: withDefault(z.enum(['qr', 'pairing_code']), 'qr').meta({
      description: 'Whether the phone scans a QR code, or a code is entered on it.',
    }),
    warm_up: optional(z.boolean()).meta({
      description:
        'Whether the number is new to groups and is to begin with few posts a day, as of `venom/update-account`. Left out, it stays as it is: at first there is none.',
    }),
  })
  .meta({ id: 'ConnectAccount' });

export const connectAccountData = z.object({
  status,
  qr,
  pairing_code: pairingCode,
  expires_at: expiresAt,
});

export const disconnectAccountData = z.object({ status });

export const accountStatusBody = z.object({
  with_history: optional(z.boolean()).meta({ description: 'Answers `history`, too.' }),
});

export const accountStatusData = z.object({
  messenger: z.string(),
  status,
  whatsapp_number: z.string(),
  qr,
  pairing_code: pairingCode,
  expires_at: expiresAt,
  paused_until: z.string().optional().meta({
    format: 'date-time',
    description:
      'While `paused`: when it goes on by itself. Left out: it was stopped, and goes on after `connect-account`.',
  }),
  reason: z.string().optional().meta({ description: 'One sentence on why the account is not connected.' }),
  held_since: z.string().optional().meta({
    format: 'date-time',
    description:
      'Nothing is sent, of anybody: the service was restored from a backup or copied, and an operator has to release it.',
  }),
  scanned_number: z
    .string()
    .optional()
    .meta({
      description:
        'The number of the phone that was refused for not having yours, where you can take it over: by `update_profile`, as `whatsapp_number`; then `connect-account`.',
      examples: ['+5511987654321'],
    }),
  number_fixed: z.boolean().optional().meta({
    description: 'Only where `with_history` asks: a phone has been linked, and your number can no longer be changed.',
  }),
  history: z
    .array(
      z.object({
        at: z.string().meta({ format: 'date-time' }),
        messenger: z.string(),
        status,
        reason: z.string().nullable(),
      }),
    )
    .optional()
    .meta({
      description:
        'Only where `with_history` asks for it: how it stood before, newest first, at most 50 changes of 90 days.',
    }),
});
