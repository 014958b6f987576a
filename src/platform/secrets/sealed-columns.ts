/** Every column that is sealed with the encryption key (src/platform/secrets/secret-box.ts), and with which keys its rows are sealed. */
import { execute, readRows, sql, type Connection } from '../database/statements.ts';
import { sealPrefixOf, type Vault } from './secret-box.ts';

interface SealedColumn {
  table: string;
  column: string;
  /** One row, and several, as operators know them. */
  one: string;
  many: string;
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'account_keys',
    column: 'sealed',
    one: 'credential of a linked account',
    many: 'credentials of linked accounts',
  },
  { table: 'factors', column: 'secret', one: 'authenticator app', many: 'authenticator apps' },
  { table: 'webhooks', column: 'secret', one: 'secret of a webhook', many: 'secrets of webhooks' },
  { table: 'webhooks', column: 'former_secret', one: 'former secret of a webhook', many: 'former secrets of webhooks' },
  {
    table: 'message_secret_keys',
    column: 'sealed',
    one: 'key for votes and reactions of a workspace',
    many: 'keys for votes and reactions of workspaces',
  },
  { table: 'push_keys', column: 'private_key', one: 'key for push services', many: 'keys for push services' },
];

/** Rows of one column that are sealed with one key. */
export interface SealedRows {
  what: SealedColumn;
  /** The first digits of the key's id. */
  keyIdPrefix: string;
  count: number;
}

/** Returns the sealed rows that none of the keys opens, by column and key. It reads every sealed row; 100,000 take some 0.1 s. */
export async function findSealedByOthers(db: Connection, keyIds: readonly string[]): Promise<SealedRows[]> {
  const prefixes = keyIds.map((id) => Buffer.from(sealPrefixOf(id), 'hex'));
  const found: SealedRows[] = [];
  for (const what of SEALED_COLUMNS) {
    const column = sql.ref(what.column);
    const rows = await readRows<{ keyIdPrefix: string; count: number }>(db)`
      select encode(substring(${column} for 4), 'hex') as "keyIdPrefix", count(*)::int as count from ${sql.table(what.table)}
      where ${column} is not null and substring(${column} for 4) <> all (${prefixes}::bytea[]) group by 1 order by 1`;
    found.push(...rows.map((row) => ({ what, ...row })));
  }
  return found;
}

/**
 * Key rotation: seals with the present key what the previous one sealed in a column. `about` returns the additional data of the row with an
 * id. Resolves to the number of rows. Throws when a value has another key.
 */
export async function resealColumn<Id extends string | number>(
  db: Connection,
  vault: Vault,
  { table, column, id }: { table: string; column: string; id: string },
  about: (id: Id) => string,
): Promise<number> {
  const sealed = sql.ref(column);
  const rows = await readRows<{ id: Id; before: Buffer }>(db)`
    select ${sql.ref(id)} as id, ${sealed} as before from ${sql.table(table)}
    where substring(${sealed} for ${vault.keyIdPrefix.length}) <> ${vault.keyIdPrefix}`;
  const again = rows.map((row) => vault.seal(vault.open(row.before, about(row.id)), about(row.id)));
  await execute(db)`
    update ${sql.table(table)} t set ${sealed} = n.again
    from unnest(${rows.map((row) => String(row.id))}::text[], ${rows.map((row) => row.before)}::bytea[], ${again}::bytea[]) n (id, before, again)
    where t.${sql.ref(id)}::text = n.id and t.${sealed} = n.before`;
  return rows.length;
}

/** Returns such as "12 credentials of linked accounts, 1 authenticator app". */
export function describeSealed(rows: readonly SealedRows[]): string {
  const sums = SEALED_COLUMNS.map((what) => ({
    what,
    count: rows.reduce((sum, one) => sum + (one.what === what ? one.count : 0), 0),
  }));
  return sums
    .filter(({ count }) => count > 0)
    .map(({ what, count }) => `${count} ${count === 1 ? what.one : what.many}`)
    .join(', ');
}
