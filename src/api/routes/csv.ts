import { setImmediate as letOthers } from 'node:timers/promises';
import papaparse from 'papaparse';
import { LongText } from '../contract/long-text.ts';
import { toCamelCase, type CamelCase } from '../wire.ts';

/** A cell; null and undefined are an empty one. */
export type Cell = string | number | boolean | Date | null | undefined;
/** A row, with our names or those of its columns. */
type Cells<Column extends string> = Readonly<Record<CamelCase<Column>, Cell>>;

/** To write so many takes some milliseconds, after which others have their turn. */
const ROWS_PER_STEP = 500;
const NEWLINE = '\r\n';
/** Without the byte order mark Excel reads the text in a legacy code page. */
const BYTE_ORDER_MARK = '\ufeff';

/** CSV injection: text that a spreadsheet would run as a formula. Spreadsheets differ in the characters they skip before it. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

/**
 * Where a spreadsheet that parts cells by semicolons or tabs, as Excel does in much of Europe, sees a cell begin amidst one of ours:
 * quotes count for it only where they open a cell.
 */
const FORMULA_WITHIN = /([;\t\r\n])(?=[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/**
 * Rows as RFC 4180 has them, with a head of column names, for spreadsheets: in UTF-8 with a byte order mark, and with an
 * apostrophe before every text that would be run as a formula, also by one that reads other separators. Rows are written, and steps of
 * rows read, while the client takes them.
 */
export function writeCsv<Column extends string, Row>(
  columns: readonly Column[],
  rows: readonly Row[] | AsyncIterable<readonly Row[]>,
  toCells: (row: Row) => Cells<Column>,
): LongText {
  return new LongText(writePieces(columns, rows, toCells));
}

async function* writePieces<Column extends string, Row>(
  columns: readonly Column[],
  rows: readonly Row[] | AsyncIterable<readonly Row[]>,
  toCells: (row: Row) => Cells<Column>,
): AsyncGenerator<string> {
  const names = columns.map(toCamelCase);
  yield BYTE_ORDER_MARK + lines([columns]);
  for await (const step of Symbol.asyncIterator in rows ? rows : cutIntoSteps(rows)) {
    await letOthers();
    if (step.length > 0)
      yield lines(step.map(toCells).map((row: Readonly<Record<string, Cell>>) => names.map((name) => row[name])));
  }
}

function* cutIntoSteps<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STEP) yield rows.slice(from, from + ROWS_PER_STEP);
}

function lines(rows: ReadonlyArray<readonly Cell[]>): string {
  const cells = rows.map((row) => row.map(escapeFormula));
  return papaparse.unparse(cells, { newline: NEWLINE, escapeFormulae: FORMULA }) + NEWLINE;
}

function escapeFormula(cell: Cell): Cell {
  return typeof cell === 'string' ? cell.replaceAll(FORMULA_WITHIN, "$1'") : cell;
}
