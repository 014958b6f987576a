/** The plans that PostgreSQL really ran, with those of statements within functions, as its module `auto_explain` reports them. */
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { DatabaseClient, type PostgresAddress } from '../../src/platform/database/connect.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { NotifyingDialect } from '../../src/platform/database/notify-after-commit.ts';
import type { Schema } from '../../src/platform/database/schema.ts';
import { createLog } from '../../src/platform/log/log.ts';

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

/** A statement that ran. */
export interface Explained {
  text: string;
  plan: PlanNode;
}

export interface ExplainingDatabase {
  /** One connection. */
  db: Database;
  /** Returns the statements that `work` runs on `db`. */
  explain(work: (db: Database) => Promise<unknown>): Promise<Explained[]>;
}

/** Opens a connection on which statements are explained. The caller destroys its `db`. */
export function connectExplaining(address: PostgresAddress): ExplainingDatabase {
  const log = createLog('silent');
  const explained: Explained[] = [];
  const pool = new pg.Pool({
    Client: class extends DatabaseClient {
      constructor(options?: pg.ClientConfig) {
        super(address, options);
      }
    },
    max: 1,
  });
  pool.on('connect', (client) =>
    client.on('notice', ({ message }) => {
      const statement = readExplained(message);
      if (statement) explained.push(statement);
    }),
  );
  // The test's database is dropped while the connection still closes.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db: Database = new Kysely<Schema>({ dialect: new NotifyingDialect({ pool }, { pool, log }) });
  return {
    db,
    async explain(work) {
      await setExplaining(db, true);
      explained.length = 0;
      await work(db);
      const statements = explained.splice(0);
      await setExplaining(db, false);
      return statements;
    },
  };
}

/** Returns the statement that a notice of `auto_explain` is about; undefined for other notices. */
export function readExplained(notice: string | undefined): Explained | undefined {
  const [, json] = /^duration: .*? plan:\n(\{.*)$/s.exec(notice ?? '') ?? [];
  if (json === undefined) return undefined;
  const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
  return { text, plan };
}

async function setExplaining(db: Database, isOn: boolean): Promise<void> {
  await sql
    .raw(`
    load 'auto_explain';
    set auto_explain.log_min_duration = ${isOn ? '0' : '-1'}; set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
    set auto_explain.log_nested_statements = on; set auto_explain.log_format = json; set auto_explain.log_level = notice`)
    .execute(db);
}

/** The rows that all steps of a plan passed on or threw away. */
export function rowsPassedBy(node: PlanNode): number {
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsPassedBy(plan), each * node['Actual Loops']);
}
