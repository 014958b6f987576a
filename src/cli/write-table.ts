/** Columns for people on a terminal, and for programs: two blanks and more part them. */
export function writeTable(
  output: NodeJS.WritableStream,
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all)
    output.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}
