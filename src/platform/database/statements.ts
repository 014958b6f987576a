/**
 * Statements in SQL, by what is read of them: `await readColumn<number>(db)`select …``. Their parts are made with `sql`, and values in either
 * become parameters.
 */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

export { sql, type RawBuilder } from 'kysely';

export type Database = Kysely<Schema>;
/** The argument of a store function: the database, or an open transaction. */
export type Connection = Database | Transaction<Schema>;

/** The tag of a template that is one statement. */
type Statement<Result> = (text: TemplateStringsArray, ...values: unknown[]) => Promise<Result>;

/** Returns all rows. */
export const readRows =
  <Row = unknown>(db: Connection): Statement<Row[]> =>
  async (text, ...values) =>
    (await sql<Row>(text, ...values).execute(db)).rows;

/** Returns the first row; undefined if there is none. */
export const readRow =
  <Row = unknown>(db: Connection): Statement<Row | undefined> =>
  async (text, ...values) =>
    (await readRows<Row>(db)(text, ...values))[0];

/** Returns the only column of all rows. */
export const readColumn =
  <Value>(db: Connection): Statement<Value[]> =>
  async (text, ...values) =>
    (await readRows<Record<string, Value>>(db)(text, ...values)).flatMap((row) => Object.values(row));

/** Returns the only column of the first row; undefined if there is none. */
export const readValue =
  <Value>(db: Connection): Statement<Value | undefined> =>
  async (text, ...values) =>
    (await readColumn<Value>(db)(text, ...values))[0];

/** Returns the only number of the first row, such as a `count(*)`; 0 if there is none. */
export const readCount =
  (db: Connection): Statement<number> =>
  async (text, ...values) =>
    (await readValue<number>(db)(text, ...values)) ?? 0;

/** Returns whether there is a row. */
export const hasRow =
  (db: Connection): Statement<boolean> =>
  async (text, ...values) =>
    (await readRows(db)(text, ...values)).length > 0;

/** Returns how many rows were inserted, updated or deleted; 0 for other statements. */
export const execute =
  (db: Connection): Statement<number> =>
  async (text, ...values) =>
    Number((await sql(text, ...values).execute(db)).numAffectedRows ?? 0n);

/** Returns the first row of a statement that always has one. Throws if it has none. */
export const readOne =
  <Row>(db: Connection): Statement<Row> =>
  async (text, ...values) => {
    const [row] = await readRows<Row>(db)(text, ...values);
    if (row === undefined) throw new Error('a statement returned no row');
    return row;
  };
