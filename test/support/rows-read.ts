import { CompiledQuery, PostgresQueryCompiler, type KyselyPlugin } from 'kysely';
import type { Database } from '../../src/platform/database/connect.ts';

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
