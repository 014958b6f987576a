import { AppError, errorCodeOf } from '../errors/errors.ts';
import { findChangedFunctions } from './apply-functions.ts';
import type { Database } from './connect.ts';
import { inspectSchema } from './inspect-schema.ts';
import { loadSchemaFiles } from './schema-files.ts';

/** Watches for statements that fail because a column, table or function is missing. */
export interface SchemaWatch {
  /** Takes the error of any statement. */
  record(error: unknown): void;
  /**
   * Throws an AppError while statements fail for a missing column, table or function: for 15 s after the last one, and for as long as the
   * schema or the functions are not those of this version.
   */
  check(db: Database): Promise<void>;
}

/** SQLSTATE undefined_column, undefined_table and undefined_function. */
const MISSING = new Set(['42703', '42P01', '42883']);
/** Longer than the longest pause of a loop that fails, so that readiness does not flap between two of its tries. */
const REMEMBERED_MS = 15_000;

export function watchSchema(nowMs = () => performance.now()): SchemaWatch {
  let failedAtMs: number | undefined;
  return {
    record(error) {
      if (MISSING.has(errorCodeOf(error) ?? '')) failedAtMs = nowMs();
    },
    async check(db) {
      if (failedAtMs === undefined) return;
      const sinceMs = failedAtMs;
      if (nowMs() - sinceMs < REMEMBERED_MS || !(await isComplete(db)))
        throw new AppError(
          'database_unavailable',
          'The database lacks a table, a column or a function that this version needs: see "campanile doctor"',
        );
      if (failedAtMs === sinceMs) failedAtMs = undefined;
    },
  };
}

async function isComplete(db: Database): Promise<boolean> {
  const files = await loadSchemaFiles();
  const { problem, pending } = await inspectSchema(db, files);
  return (
    problem === undefined && pending.length === 0 && (await findChangedFunctions(db, files.functions)).length === 0
  );
}
