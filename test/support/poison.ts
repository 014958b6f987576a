/** Poison message: makes every change of a row fail, and repairs it. */
import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/statements.ts';

/** The rows of a table that raise an error, and the statement that triggers it. */
export interface Poison {
  table: string;
  /** The column that identifies the row, and its value. */
  column: string;
  value: number;
  /** Default is any change. */
  on?: 'insert' | 'update' | 'delete';
}

export const POISONED = 'this row is poisoned';

/** Makes every change of such a row fail. Resolves to a function that repairs it. */
export async function plantPoison(db: Database, { table, column, value, on }: Poison): Promise<() => Promise<void>> {
  await sql`
    create or replace function raise_for_poison() returns trigger language plpgsql as $$
    begin
      if (to_jsonb(coalesce(new, old)) ->> tg_argv[0])::bigint = tg_argv[1]::bigint then
        raise exception '${sql.raw(POISONED)}';
      end if;
      return coalesce(new, old);
    end $$`.execute(db);
  await sql`
    create trigger a_poison before ${sql.raw(on ?? 'insert or update or delete')} on ${sql.table(table)}
    for each row execute function raise_for_poison(${sql.lit(column)}, ${sql.lit(String(value))})`.execute(db);
  return async () => {
    await sql`drop trigger a_poison on ${sql.table(table)}`.execute(db);
  };
}
