import { readCells } from '../groups/fields/read-cells.ts';

/** Returns the names in a column as a spreadsheet copies it, each once: of each row the first cell. */
export function readNames(column: string): string[] {
  const cells = readCells(column).map(([cell = '']) => cell.trim());
  return [...new Set(cells.filter((name) => name !== ''))];
}
