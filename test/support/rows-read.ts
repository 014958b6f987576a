import { CompiledQuery, PostgresQueryCompiler, sql, type KyselyPlugin } from 'kysely';
import type { Connection, Database } from '../../src/platform/database/statements.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/**
 * Does some reading with a database that notes its statements. Returns for each of them how many rows of tables it reads, by its plan when
 * it is run again. Rows are counted and not time, since only time depends on the machine. With `unnested`, elements of unnested arrays
 * count, too; with `passed`, what each step of a plan passes on to the next.
 */
export async function countRowsRead(
  db: Database,
  read: (db: Database) => Promise<unknown>,
  { unnested = false, passed = false } = {},
): Promise<number[]> {
  const isRead = (node: PlanNode) =>
    passed || node['Relation Name'] !== undefined || (unnested && node['Node Type'] === 'Function Scan');
  const statements: CompiledQuery[] = [];
  const compiler = new PostgresQueryCompiler();
  const noting: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(compiler.compileQuery(node, queryId));
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  await read(db.withPlugin(noting));
  const counts: number[] = [];
  for (const { sql, parameters } of statements) {
    const explain = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain);
    counts.push(rowsOf(rows[0]?.['QUERY PLAN'][0].Plan, isRead));
  }
  return counts;
}

function rowsOf(node: PlanNode | undefined, isRead: (node: PlanNode) => boolean): number {
  if (!node) return 0;
  const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan, isRead), isRead(node) ? rows : 0);
}

/** Returns the result of `work`, and the number of rows of the busy tables that it fetched. `connection` must have one connection. */
export async function countReads<Answer>(
  connection: Database,
  work: (db: Database) => Promise<Answer>,
): Promise<{ answer: Answer; reads: number }> {
  return connection.transaction().execute(async (trx) => {
    const before = await readsSoFar(trx);
    const answer = await work(trx);
    return { answer, reads: (await readsSoFar(trx)) - before };
  });
}

async function readsSoFar(db: Connection): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select (sum(seq_tup_read) + sum(idx_tup_fetch))::float8 as reads from pg_stat_xact_user_tables
    where relname in ('runs', 'run_senders', 'deliveries', 'lanes', 'campaigns', 'groups')`.execute(db);
  return rows[0]?.reads ?? Number.NaN;
}
