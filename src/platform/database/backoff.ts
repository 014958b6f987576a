import { sql, type RawBuilder } from 'kysely';

/** Exponential backoff in SQL: one minute from now after `failures` = 0, then two, up to an hour. `failures` is a column. */
export function backoff(failures: string): RawBuilder<Date> {
  return sql`campanile_now() + least(60, power(2, least(${sql.ref(failures)}, 6))) * interval '1 minute'`;
}
