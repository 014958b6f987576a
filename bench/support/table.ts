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

export function printTable(rows: readonly Row[]): void {
  const cells = [
    ['row', 'ours', 'yardstick', 'ratio', 'reach'],
    ...rows.map((row) => [
      row.what,
      row.ours,
      row.yardstick,
      row.ratio === undefined ? '–' : row.ratio.toFixed(2),
      `${row.reach} ${row.reached ? 'reached' : 'MISSED'}`,
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  for (const line of cells) console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

/** 12,345 */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}
