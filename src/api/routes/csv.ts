import { setImmediate as letOthers } from 'node:timers/promises';
import { create as contentDisposition } from 'content-disposition';
import papaparse from 'papaparse';
import { fileNameOf } from '../../content/media/file-name.ts';
import { escapeFormulaWithin, FORMULA } from '../../content/sheets/escape-formula.ts';
import { readCustoms, type Customs } from '../../sending/analytics/read-customs.ts';
import { LongText } from '../contract/long-text.ts';
import type { BearerContext } from '../operation.ts';
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

export interface CsvForm {
  format: 'csv' | 'excel';
  customs: Customs;
}

type Asked = Pick<BearerContext<{ format: CsvForm['format'] }>, 'body' | 'actor' | 'header' | 'setHeader'>;

/** Reads in which form a user gets a file that they have asked for, and names the file in the answer. */
export async function beginCsv(
  deps: Parameters<typeof readCustoms>[0],
  { body, actor, header, setHeader }: Asked,
  name: string,
): Promise<CsvForm> {
  const customs = await readCustoms(deps, actor, header('accept-language'));
  setHeader('content-disposition', contentDisposition(fileNameOf(name, 'csv')));
  return { format: body.format, customs };
}

/**
 * Rows as RFC 4180 has them, with a head of column names, for spreadsheets: in UTF-8 with a byte order mark, and with an
 * apostrophe before every text that would be run as a formula, also by one that reads other separators. In the form `excel` by the customs of its
 * reader. Rows are written, and steps of rows read, while the client takes them.
 */
export function writeCsv<Column extends string, Row>(
  columns: readonly Column[],
  rows: readonly Row[] | AsyncIterable<readonly Row[]>,
  toCells: (row: Row) => Cells<Column>,
  form?: CsvForm,
): LongText {
  const customs = form?.format === 'excel' ? form.customs : undefined;
  const names = columns.map((column) => ({ name: toCamelCase(column), isRate: column.endsWith('_rate') }));
  const toCell = (cell: Cell, isRate: boolean) => (customs ? toExcel(cell, isRate, customs) : cell);
  const toLine = (row: Row) => {
    const cells: Readonly<Record<string, Cell>> = toCells(row);
    return names.map(({ name, isRate }) => toCell(cells[name], isRate));
  };
  return new LongText(writeLines(columns, rows, toLine, customs));
}

/** As `writeCsv`, with columns whose names are not ours: a row becomes cells in their order. */
export function writeTable<Row>(
  columns: readonly string[],
  rows: readonly Row[],
  toCells: (row: Row) => readonly Cell[],
  { format, customs }: CsvForm,
): LongText {
  return new LongText(writeLines(columns, rows, toCells, format === 'excel' ? customs : undefined));
}

async function* writeLines<Row>(
  columns: readonly string[],
  rows: readonly Row[] | AsyncIterable<readonly Row[]>,
  toLine: (row: Row) => readonly Cell[],
  customs: Customs | undefined,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + lines([columns], customs);
  for await (const step of Symbol.asyncIterator in rows ? rows : cutIntoSteps(rows)) {
    await letOthers();
    if (step.length > 0) yield lines(step.map(toLine), customs);
  }
}

function* cutIntoSteps<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STEP) yield rows.slice(from, from + ROWS_PER_STEP);
}

/** Excel takes this form of a time for one in each language. */
function toExcel(cell: Cell, isRate: boolean, { timeZone }: Customs): Cell {
  if (isRate && typeof cell === 'number') return `${Math.round(cell * 100)}%`;
  if (!(cell instanceof Date)) return cell;
  const local = cell.toTemporalInstant().toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: 'second' }).replace('T', ' ');
}

function lines(rows: ReadonlyArray<readonly Cell[]>, customs: Customs | undefined): string {
  const cells = rows.map((row) => row.map(escapeFormula));
  const delimiter = customs?.separator ?? ',';
  return papaparse.unparse(cells, { newline: NEWLINE, delimiter, escapeFormulae: FORMULA }) + NEWLINE;
}

function escapeFormula(cell: Cell): Cell {
  return typeof cell === 'string' ? escapeFormulaWithin(cell) : cell;
}
