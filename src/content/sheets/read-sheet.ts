import { createThreadPool, DeadlineError } from '../../platform/concurrency/thread-pool.ts';
import { fieldError, invalid } from '../../platform/errors/errors.ts';
import type { IssueCode, IssueParams } from '../../platform/errors/issues.ts';

/** A row that has something in it. */
export interface SheetRow {
  /** As the spreadsheet counts: the first is 1. */
  row: number;
  /** Texts, whatever they look like: a formula is its last result, a date is `YYYY-MM-DD`. Empty cells at the end may be missing. */
  cells: string[];
}

export interface Sheet {
  rows: SheetRow[];
  /** Why a row cannot be read, by its number. */
  faults: ReadonlyMap<number, IssueCode>;
}

/** The message to a thread. */
export interface SheetToRead {
  bytes: Uint8Array<ArrayBuffer>;
  limits: typeof SHEET_LIMITS;
}

/** The answer of a thread. */
export type ReadSheet = Sheet | { problem: IssueCode; params?: IssueParams };

export const SHEET_LIMITS = {
  bytes: 4 * 1024 * 1024,
  /** With the first one, which has the names of the columns. */
  rows: 10_001,
  columns: 200,
  /** Zip bomb: of an XLSX file, unpacked. */
  unpackedBytes: 64 * 1024 * 1024,
  entries: 1_000,
} as const;

const DEADLINE_MS = 10_000;

const threads = createThreadPool<SheetToRead, ReadSheet>({
  name: 'sheets',
  module: new URL('./read-sheet-thread.ts', import.meta.url),
  threads: 2,
  maxWaiting: 20,
  maxWaitMs: DEADLINE_MS,
  deadlineMs: DEADLINE_MS,
  memoryMb: 256,
});

/**
 * Reads the first sheet of an XLSX file, or a CSV file in any encoding and with any separator, in a thread with bounded time and memory.
 * Throws 400 on `field` for anything else.
 */
export async function readSheet(field: string, bytes: Buffer): Promise<Sheet> {
  const copy = new Uint8Array(bytes);
  let read: ReadSheet;
  try {
    read = await threads.run({ bytes: copy, limits: SHEET_LIMITS }, { move: [copy.buffer] });
  } catch (error) {
    const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isOutOfMemory && !(error instanceof DeadlineError)) throw error;
    read = { problem: 'sheet_too_large' };
  }
  if ('problem' in read) throw invalid([fieldError(field, read.problem, read.params)]);
  return read;
}
