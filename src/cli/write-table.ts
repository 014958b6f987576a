/** Formats columns for people on a terminal, and for programs: two blanks and more part them. */
export function formatTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Writes the columns. Returns the exit code of a command that has nothing else to do. */
export function writeTable(output: NodeJS.WritableStream, ...table: Parameters<typeof formatTable>): 0 {
  output.write(formatTable(...table));
  return 0;
}
