/** Returns the cells that a spreadsheet has copied: rows of texts between tabs, in quotes where they have line breaks or quotes. */
export function readCells(copied: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y;
  for (;;) {
    const [, quoted, plain = '', end = ''] = cell.exec(copied) ?? [];
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '' || cell.lastIndex >= copied.length) return end === '\t' ? withEmptyEnd(rows) : rows;
    if (end !== '\t') rows.push([]);
  }
}

function withEmptyEnd(rows: string[][]): string[][] {
  rows.at(-1)?.push('');
  return rows;
}
