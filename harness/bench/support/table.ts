/** One line of what a bench found out. */
export interface Row {
  what: string;
  ours: string;
  yardstick: string;
  /** Ours in terms of the yardstick; undefined where the goal is a plain number. */
  ratio?: number;
  /** The number that a later run is compared by, where there is no ratio. */
  value?: number;
  /** The goal in words, and whether it was reached. */
  reach: string;
  reached: boolean;
}

/** Returns a row with a rate, whose goal is a part of the fastest of others. */
export function rateRow(what: string, perS: number, others: Readonly<Record<string, number>>, least: number): Row {
  const ratio = perS / Math.max(...Object.values(others));
  const yardstick = Object.entries(others).map(([name, theirs]) => `${name} ${count(theirs)}/s`);
  const ours = `${count(perS)}/s`;
  return { what, ours, yardstick: yardstick.join(', '), ratio, reach: `≥ ${least}`, reached: ratio >= least };
}

/** Returns a row with a duration, whose goal is a multiple of the yardstick's. */
export function timesRow(what: string, ms: number, [name, theirs]: readonly [string, number], most: number): Row {
  const ratio = ms / theirs;
  const yardstick = `${name} ${theirs.toFixed(0)} ms`;
  return { what, ours: `${ms.toFixed(0)} ms`, yardstick, ratio, reach: `≤ ${most}×`, reached: ratio <= most };
}

/** Returns a row whose goal is a limit. */
export function limitRow(
  what: string,
  value: number,
  most: number,
  {
    unit = 'ms',
    name = '',
    ours,
    yardstick = 'the clock',
  }: { unit?: string; name?: string; ours?: string; yardstick?: string } = {},
): Row {
  return {
    what,
    ours: ours ?? `${value.toFixed(0)} ${unit}`,
    yardstick,
    value,
    reach: `${name}≤ ${count(most)} ${unit}`,
    reached: value <= most,
  };
}

/** Returns a row without a goal. */
export function plainRow(what: string, value: number, ours: string, yardstick = '–'): Row {
  return { what, ours, yardstick, value, reach: 'for the docs', reached: true };
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

/** 12,345 */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}
