/** Reads XLSX files (ISO/IEC 29500): a ZIP archive of XML, of which a few elements matter. */
import { unzipSync } from 'fflate';
import { Parser } from 'saxen';
import type { IssueCode } from '../../platform/errors/issues.ts';
import type { ReadSheet, SheetRow, SheetToRead } from './read-sheet.ts';

type Limits = SheetToRead['limits'];
type Attributes = Readonly<Record<string, string | undefined>>;

class UnreadableError extends Error {}

export function readXlsx(bytes: Uint8Array, limits: Limits): ReadSheet {
  try {
    const xml = unpackXml(bytes, limits);
    return xml ? readBook(xml, limits) : { problem: 'sheet_too_large' };
  } catch (error) {
    // fflate's errors have a number as their code.
    const isOfZip = error instanceof Error && 'code' in error && typeof error.code === 'number';
    if (isOfZip || error instanceof UnreadableError) return { problem: 'sheet_unreadable' };
    throw error;
  }
}

/** Zip bomb: the sizes are added up before anything is unpacked, and no entry is unpacked beyond the size that it declares. */
function unpackXml(bytes: Uint8Array, limits: Limits): ReadonlyMap<string, string> | undefined {
  let [entries, size] = [0, 0];
  const isXml = (name: string) => /\.(?:xml|rels)$/i.test(name);
  unzipSync(bytes, {
    filter({ name, originalSize }) {
      entries += 1;
      size += isXml(name) ? originalSize : 0;
      return false;
    },
  });
  if (entries > limits.entries || size > limits.unpackedBytes) return undefined;
  const files = Object.entries(unzipSync(bytes, { filter: ({ name }) => isXml(name) }));
  return new Map(files.map(([name, file]) => [name, new TextDecoder().decode(file)]));
}

function readBook(xml: ReadonlyMap<string, string>, limits: Limits): ReadSheet {
  const book = xml.get('xl/workbook.xml');
  if (book === undefined) throw new UnreadableError('has no workbook');
  let [sheetLink, is1904] = ['', false];
  walk(book, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      if (name === 'sheet') sheetLink ||= attributes['r:id'] ?? '';
    },
  });
  let path = '';
  walk(xml.get('xl/_rels/workbook.xml.rels') ?? '', {
    open(_name, attributes) {
      if (attributes['Id'] === sheetLink) path = (attributes['Target'] ?? '').replace(/^\/?(?:xl\/)?/, 'xl/');
    },
  });
  const sheet = xml.get(path);
  if (sheet === undefined) throw new UnreadableError('has no sheet');
  const strings = readStrings(xml.get('xl/sharedStrings.xml') ?? '');
  const formats = readFormats(xml.get('xl/styles.xml') ?? '');
  return readRows(sheet, { strings, formats, is1904 }, limits);
}

interface Visitor {
  open?: (name: string, attributes: Attributes) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
}

/** Calls back for elements, by their names without prefix, and texts. Throws an UnreadableError for what is no XML. */
function walk(xml: string, { open, text, close }: Visitor): void {
  // A file without shared strings or styles is none that has nothing in it.
  if (xml === '') return;
  const bare = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser();
  parser.on('openTag', (name, readAttributes, decode) => {
    const attributes = readAttributes() as Record<string, string>;
    for (const [key, value] of Object.entries(attributes)) attributes[key] = decode(value);
    open?.(bare(name), attributes);
  });
  parser.on('text', (value, decode) => text?.(decode(value)));
  parser.on('cdata', (value) => text?.(value));
  parser.on('closeTag', (name) => close?.(bare(name)));
  parser.on('error', (error) => {
    throw new UnreadableError(error.message);
  });
  parser.parse(xml);
}

/** The texts that cells name by their place. Phonetic readings (`rPh`) are not part of them. */
function readStrings(xml: string): string[] {
  const strings: string[] = [];
  let [isText, isReading] = [false, false];
  walk(xml, {
    open(name) {
      if (name === 'si') strings.push('');
      if (name === 'rPh') isReading = true;
      isText = name === 't';
    },
    text(text) {
      if (isText && !isReading) strings[strings.length - 1] += text;
    },
    close(name) {
      if (name === 'rPh') isReading = false;
      isText = false;
    },
  });
  return strings.map(decodeCoded);
}

/** Excel writes control characters as codes, and what looks like such a code with one more. Of a break of a line only LF counts. */
function decodeCoded(text: string): string {
  const decoded = text.replaceAll(/_x([\dA-F]{4})_/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return decoded.replaceAll('\r', '');
}

/** Whether numbers in this format are dates, or how many digits they show at least. */
type Format = 'date' | number;

const isBuiltInDate = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58);

/** Returns the formats of cells, by the number of their style. */
function readFormats(xml: string): Format[] {
  const codes = new Map<string, string>();
  const formats: Format[] = [];
  let isOfCells = false;
  walk(xml, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode);
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'xf' && isOfCells)
        formats.push(isBuiltInDate(Number(numFmtId)) ? 'date' : readFormat(codes.get(numFmtId) ?? ''));
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

/** As long as Excel lets a format be. */
const LONGEST_FORMAT = 255;

function readFormat(written: string): Format {
  const code = written.slice(0, LONGEST_FORMAT);
  if (/^0+$/.test(code)) return code.length;
  return /[ymdhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|general/gi, '')) ? 'date' : 0;
}

interface Book {
  strings: readonly string[];
  formats: readonly Format[];
  is1904: boolean;
}

interface Cell {
  attributes: Attributes;
  hasFormula: boolean;
  value: string | undefined;
}

function readRows(xml: string, book: Book, limits: Limits): ReadSheet {
  const rows: SheetRow[] = [];
  const faults = new Map<number, IssueCode>();
  const merged: Array<[from: number, to: number]> = [];
  let row: SheetRow = { row: 0, cells: [] };
  let cell: Cell | undefined;
  let element = '';
  let problem: IssueCode | undefined;

  function keepCell({ attributes, hasFormula, value }: Cell): void {
    const column = attributes['r'] === undefined ? row.cells.length : columnOf(attributes['r']);
    const isFault = attributes['t'] === 'e' || (hasFormula && value === undefined);
    const text = isFault ? '' : toText(value ?? '', attributes, book);
    if (isFault) faults.set(row.row, 'sheet_formula');
    if (text === '') return;
    if (column >= limits.columns) problem = 'sheet_columns';
    else row.cells[column] = text;
  }

  walk(xml, {
    open(name, attributes) {
      element = name;
      if (name === 'row') row = { row: Number(attributes['r'] ?? row.row + 1), cells: [] };
      else if (name === 'c') cell = { attributes, hasFormula: false, value: undefined };
      else if (name === 'f' && cell) cell.hasFormula = true;
      // A formula may result in an empty text.
      else if (name === 'v' && cell && cell.attributes['t'] === 'str') cell.value ??= '';
      else if (name === 'mergeCell') merged.push(...rowsOf(attributes['ref'] ?? ''));
    },
    text(text) {
      if (cell && (element === 'v' || element === 't')) cell.value = (cell.value ?? '') + text;
    },
    close(name) {
      element = '';
      if (name === 'c' && cell) {
        keepCell(cell);
        cell = undefined;
      }
      if (name !== 'row' || (row.cells.length === 0 && !faults.has(row.row))) return;
      if (rows.length >= limits.rows) problem = 'sheet_rows';
      else rows.push({ ...row, cells: Array.from(row.cells, (text) => text ?? '') });
    },
  });
  addMerged(faults, merged, rows.at(-1)?.row ?? 0);
  if (problem === 'sheet_rows') return { problem, params: { limit: limits.rows - 1 } };
  return problem ? { problem, params: { limit: limits.columns } } : { rows, faults };
}

function rowsOf(range: string): Array<[from: number, to: number]> {
  const [, from, to] = /^[A-Z]+(\d+):[A-Z]+(\d+)$/.exec(range) ?? [];
  return from === undefined || to === undefined ? [] : [[Number(from), Number(to)]];
}

/** Which of the rows the value of merged cells is of, only a person knows. Looks at each row once, however many ranges it is in. */
function addMerged(faults: Map<number, IssueCode>, ranges: Array<[from: number, to: number]>, last: number): void {
  let next = 1;
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    for (next = Math.max(next, from); next <= Math.min(to, last); next++) faults.set(next, 'sheet_merged');
  }
}

/** Returns the place of a column, the first is 0: `AB12` is in column 27. */
function columnOf(address: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(address)?.[0];
  if (letters === undefined) throw new UnreadableError(`has no column: ${address}`);
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function toText(
  value: string,
  { t: type = 'n', s: style = '' }: Attributes,
  { strings, formats, is1904 }: Book,
): string {
  if (value === '') return '';
  if (type === 's') {
    const text = strings[Number(value)];
    if (text === undefined) throw new UnreadableError(`has no text ${value}`);
    return text;
  }
  if (type === 'inlineStr') return decodeCoded(value);
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type === 'd') return withoutMidnight(value);
  const number = Number(value);
  if (type !== 'n' || !Number.isFinite(number)) return value;
  const format = formats[Number(style)] ?? 0;
  if (format === 'date') return toDate(number, is1904) ?? value;
  // Phone numbers and zip codes keep their digits; other numbers lose the noise of binary fractions.
  if (/^-?\d+$/.test(value)) return value.padStart(format, '0');
  return String(Number(number.toPrecision(15)));
}

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
/** Lotus 1-2-3 took 1900 for a leap year: until its 29th of February the days are one less. */
const FALSE_LEAP_DAY = 60;

function toDate(serial: number, is1904: boolean): string | undefined {
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < FALSE_LEAP_DAY ? 31 : 30);
  // The last half of a millisecond before midnight is noise of the fraction and belongs to the next day, unless it is a time alone.
  const day = serial < 1 ? Math.floor(serial) : Math.floor(Math.round(serial * DAY_MS) / DAY_MS);
  const seconds = Math.min(Math.round((serial - day) * DAY_SECONDS), DAY_SECONDS - 1);
  const at = new Date(epoch + day * DAY_MS + Math.max(seconds, 0) * 1_000);
  if (Number.isNaN(at.getTime())) return undefined;
  const text = at.toISOString().slice(0, 19);
  return serial < 1 && !is1904 ? text.slice(11, 16) : withoutMidnight(text);
}

function withoutMidnight(text: string): string {
  return text.replace(/T00:00:00(?:\.0+)?Z?$/, '');
}
