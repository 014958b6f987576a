/** The other side of `read-sheet.ts`: a hostile file can take all time and memory of its thread. */
import { parentPort } from 'node:worker_threads';
import { readCsv } from './read-csv.ts';
import type { ReadSheet, SheetToRead } from './read-sheet.ts';
import { readXlsx } from './read-xlsx.ts';

const ZIP = Buffer.from('PK\x03\x04');
/** Before XLSX: XLS. */
const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

function read({ bytes, limits }: SheetToRead): ReadSheet {
  const head = Buffer.from(bytes.subarray(0, ZIP.length));
  if (head.equals(OLE)) return { problem: 'sheet_xls' };
  const read = head.equals(ZIP) ? readXlsx(bytes, limits) : readCsv(bytes);
  if ('problem' in read) return read;
  // XML and Unicode have neither, nor does the database take them.
  const isText = (cell: string) => cell.isWellFormed() && !cell.includes('\0');
  if (!read.rows.every(({ cells }) => cells.every(isText))) return { problem: 'sheet_unreadable' };
  const rows = read.rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length === 0) return { problem: 'sheet_empty' };
  if (rows.length > limits.rows) return { problem: 'sheet_rows', params: { limit: limits.rows - 1 } };
  const isWide = rows.some(({ cells }) => cells.length > limits.columns);
  return isWide ? { problem: 'sheet_columns', params: { limit: limits.columns } } : { ...read, rows };
}

parentPort?.on('message', (sheet: SheetToRead) => parentPort?.postMessage(read(sheet)));
parentPort?.postMessage('ready');
