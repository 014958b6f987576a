import { z } from 'zod';
import type { UserId } from '../database/schema.ts';
import type { Vault } from '../lib/vault.ts';
import { aboutOf } from '../messenger/whatsapp/connect/key-table.ts';
import { aboutTotp } from '../users/factors/prove-factor.ts';
import { aboutSecret } from '../webhooks/webhook-store.ts';

/** bytea as JSON carries it. */
const HEX = /^\\x/;
const Row = z.looseObject({
  account_id: z.number().optional(),
  user_id: z.number().optional(),
  webhook_id: z.string().optional(),
  kind: z.string().optional(),
  name: z.string().optional(),
});
type Row = z.infer<typeof Row>;

/** The columns that are sealed, and what each row's are about. */
const SEALED: Readonly<Record<string, { columns: readonly string[]; about: (row: Row) => string }>> = {
  account_keys: {
    columns: ['sealed'],
    about: ({ account_id = 0, kind = '', name = '' }) => aboutOf(account_id, kind, name),
  },
  factors: { columns: ['secret'], about: ({ user_id = 0 }) => aboutTotp(user_id as UserId) },
  webhooks: { columns: ['secret', 'former_secret'], about: ({ webhook_id = '' }) => aboutSecret(webhook_id) },
};

/** The row, given and answered as JSON, with what is sealed in it opened by one vault and sealed by the other. */
export function reseal(table: string, row: string, from: Vault, to: Vault): string {
  const sealed = SEALED[table];
  if (!sealed) return row;
  // Of no other table are rows read here: some have integers that JavaScript would round.
  const read = Row.parse(JSON.parse(row));
  const about = sealed.about(read);
  const changed = sealed.columns.flatMap((column) => {
    const value = read[column];
    if (typeof value !== 'string') return [];
    const bytes = Buffer.from(value.replace(HEX, ''), 'hex');
    return [[column, `\\x${to.seal(from.open(bytes, about), about).toString('hex')}`]];
  });
  return JSON.stringify({ ...read, ...Object.fromEntries(changed) });
}
