/** One line of what a bench found out. */
export interface Row {
  what: string;
  ours: string;
  yardstick: string;
  /** Ours in terms of the yardstick; undefined where the goal is a plain number. */
  ratio?: number;
  /** The goal in words, and whether it was reached. */
  reach: string;
  reached: boolean;
}

/** The middle one, so that one bad moment of the machine does not count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Returns the lines of a table whose first line has the heads: in columns, or in Markdown. */
export function formatTable(
  cells: ReadonlyArray<readonly string[]>,
  { markdown = false }: { markdown?: boolean },
): string {
  const [heads = []] = cells;
  if (markdown) {
    const [head, ...lines] = cells.map((line) => `| ${line.join(' | ')} |`);
    return [head, `|${' --- |'.repeat(heads.length)}`, ...lines].join('\n');
  }
  const widths = heads.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

export function printTable(rows: readonly Row[], options: { markdown?: boolean } = {}): void {
  const cells = rows.map((row) => [
    row.what,
    row.ours,
    row.yardstick,
    row.ratio === undefined ? '–' : row.ratio.toFixed(2),
    `${row.reach} ${row.reached ? 'reached' : 'MISSED'}`,
  ]);
  console.log(formatTable([['row', 'ours', 'yardstick', 'ratio', 'reach'], ...cells], options));
}

/** 12,345 */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}
