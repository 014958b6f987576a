import papaparse from 'papaparse';
import type { ReadSheet } from './read-sheet.ts';

/** Reads a CSV file: RFC 4180, with commas, semicolons or tabs, in any encoding that spreadsheets write. */
export function readCsv(bytes: Uint8Array): ReadSheet {
  const decoded = decode(bytes);
  if (decoded === undefined) return { problem: 'sheet_unreadable' };
  // As Excel says which separator follows.
  const [hint, said] = /^sep=(.)\r?\n/i.exec(decoded) ?? [''];
  const text = decoded.slice(hint.length);
  const { data, errors } = papaparse.parse<string[]>(text, { delimiter: said ?? findDelimiter(text) });
  const torn = errors.find(({ type }) => type === 'Quotes');
  if (torn) return { problem: 'sheet_quotes', params: { row: (torn.row ?? 0) + 1 } };
  const rows = data.map((cells, index) => ({ row: index + 1, cells }));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
  // Spreadsheets write all cells of a row: missing ones are not empty ones.
  const short = filled.filter(({ cells }) => cells.length < (filled[0]?.cells.length ?? 0));
  return { rows, faults: new Map(short.map(({ row }) => [row, 'sheet_row_short'])) };
}

const MARKS = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
] as const;

/** As the byte order mark says, else UTF-8, else the code page of Windows in western countries. Undefined for what is no text. */
function decode(bytes: Uint8Array): string | undefined {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (!marked && bytes.includes(0)) return undefined;
  try {
    return new TextDecoder(marked?.[0] ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return marked ? undefined : new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Names of fields have none of these signs, so the first line tells. */
function findDelimiter(text: string): string {
  const head = (/^\s*([^\r\n]*)/.exec(text)?.[1] ?? '').replaceAll(/"[^"]*"/g, '');
  const count = (sign: string) => head.split(sign).length;
  return ['\t', ';', ','].reduce((most, sign) => (count(sign) > count(most) ? sign : most), ',');
}
