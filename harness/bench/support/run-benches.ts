import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { formatTable, type Row } from './table.ts';

/** The smallest takes seconds, and shows that the benches work; its figures mean nothing. */
export type Size = 'full' | 'quick' | 'smallest';

/** What a bench receives. */
export interface Bench {
  /** Returns the value for the size of this run. */
  pick<Value>(full: Value, quick: Value, smallest: Value): Value;
  /** Measures a part and prints its rows. If it throws, its row says so, and the bench goes on. */
  report(part: string, measure: () => Promise<Row | readonly Row[] | void>): Promise<void>;
}

export interface RunOptions {
  size?: Size;
  markdown?: boolean;
  /** Name of the file in which the run is saved, row by row. */
  json?: string | undefined;
  /** Name of a file with an earlier run. Each figure is printed as a multiple of the earlier one, too. */
  compare?: string | undefined;
}

/** What `json` contains. */
export interface SavedRun {
  size: Size;
  startedAt: string;
  node: string;
  cores: number;
  rows: Array<Row & { bench: string }>;
}

const HEADS = ['row', 'ours', 'yardstick', 'ratio', 'reach'];

/** Runs benches one after the other and prints each row when it is there. Resolves to the rows. Throws if `compare` has another size. */
export async function runBenches(
  benches: Readonly<Record<string, (bench: Bench) => Promise<void>>>,
  { size = 'full', markdown = false, json, compare }: RunOptions = {},
): Promise<SavedRun['rows']> {
  const earlier = compare === undefined ? undefined : readRun(compare, size);
  const run: SavedRun = {
    size,
    startedAt: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    rows: [],
  };
  const lines = [earlier ? [...HEADS, 'times the earlier run'] : HEADS];
  for (const [name, bench] of Object.entries(benches)) {
    console.log(`${name} …`);
    const add = (row: Row) => {
      const line = formatRow(row);
      if (earlier) line.push(compareRow(row, earlier.get(`${name}: ${row.what}`)));
      run.rows.push({ bench: name, ...row });
      lines.push(line);
      console.log(`  ${line.join(' | ')}`);
      if (json !== undefined) writeFileSync(json, `${JSON.stringify(run, null, 2)}\n`);
    };
    const addFailure = (what: string, error: unknown) => {
      console.error(error);
      const ours = `failed: ${error instanceof Error ? error.message : String(error)}`;
      add({ what, ours, yardstick: '–', reach: 'to be measured', reached: false });
    };
    const report: Bench['report'] = async (part, measure) => {
      try {
        for (const row of [(await measure()) ?? []].flat()) add(row);
      } catch (error) {
        addFailure(part, error);
      }
    };
    // An error that nobody waits for would end the process, and with it the benches that follow.
    const addStray = (error: unknown) => addFailure(name, error);
    process.on('uncaughtException', addStray);
    await report(name, () => bench({ pick: (full, quick, smallest) => ({ full, quick, smallest })[size], report }));
    process.off('uncaughtException', addStray);
  }
  console.log(`\n${formatTable(lines, { markdown })}`);
  return run.rows;
}

function readRun(file: string, size: Size): Map<string, Row> {
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as SavedRun;
  if (earlier.size !== size) throw new Error(`${file} has a run of the size ${earlier.size}, and this one is ${size}`);
  return new Map(earlier.rows.map((row) => [`${row.bench}: ${row.what}`, row]));
}

function formatRow({ what, ours, yardstick, ratio, reach, reached }: Row): string[] {
  return [what, ours, yardstick, ratio?.toFixed(2) ?? '–', `${reach} ${reached ? 'reached' : 'MISSED'}`];
}

function compareRow({ ratio, value = ratio }: Row, earlier: Row | undefined): string {
  const before = earlier?.ratio ?? earlier?.value;
  return value === undefined || !before ? '–' : (value / before).toFixed(2);
}
