import {
  ConnectionWaitError,
  DatabaseConnectError,
  isConnectionWait,
  isDatabaseUnreachable,
} from '../../platform/errors/database-errors.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';

/** A statement that took too long or was cancelled, a lock that took too long to get, a transaction that did. */
const TOO_LONG = /^(57014|55P03|25P04)$/;

const DISK_FULL = '53100';
const FULL: DatabaseFailure = { code: 'disk_full', message: 'The disk that the database is on is full' };

interface DatabaseFailure {
  code: ErrorCode;
  message: string;
}

/**
 * Returns the code and message of an error that says the database is unavailable; undefined for every other error. A server whose disk is
 * full may stop, and then cannot be reached: `isDiskFull` tells that case apart.
 */
export function classifyDatabaseError(error: unknown, isDiskFull: boolean): DatabaseFailure | undefined {
  if (error instanceof ConnectionWaitError) return { code: 'overloaded', message: error.message };
  if (isConnectionWait(error)) return { code: 'overloaded', message: 'All database connections are in use just now' };
  const code = errorCodeOf(error);
  if (code === DISK_FULL) return FULL;
  if (code !== undefined && TOO_LONG.test(code))
    return { code: 'database_slow', message: 'The database takes too long just now' };
  if (!isDatabaseUnreachable(error)) return undefined;
  if (isDiskFull) return FULL;
  const message = error instanceof DatabaseConnectError ? error.reason : 'The database cannot be reached just now';
  return { code: 'database_unavailable', message };
}
