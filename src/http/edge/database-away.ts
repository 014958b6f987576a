import { ConnectionWaitError } from '../../database/share-connections.ts';
import type { ErrorCode } from '../../lib/error-codes.ts';

/**
 * Connection exceptions; resources used up (disk, memory, connections); an administrator or a crash that ends the connection, or a
 * server that is starting up; one that cannot read or write its files; one that only takes reads just now; a transaction cut off
 * because this process was too slow to go on with it.
 */
const SQL_STATES = /^(08...|53...|57P0.|58030|25006|25P03)$/;
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** The driver gives these failures no code. */
const MESSAGES = [
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/** The pool says so only while all of its connections are in use. */
const POOL_FULL = 'timeout exceeded when trying to connect';

/** A statement that took too long or was cancelled, a lock that took too long to get, a transaction that did. */
const TOO_LONG = /^(57014|55P03|25P04)$/;

const DISK_FULL = '53100';
const FULL: Away = { code: 'disk_full', message: 'The disk that the database is on is full' };

interface Away {
  code: ErrorCode;
  message: string;
}

/**
 * Why the database cannot do just now what was asked of it, as a code and a sentence; undefined for an error that says anything else. A server
 * whose disk is full may end of it, and cannot be reached meanwhile: `isDiskFull` says whether it is known to be.
 */
export function whyDatabaseAway(error: unknown, isDiskFull: boolean): Away | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ConnectionWaitError) return { code: 'overloaded', message: error.message };
  if (error.message === POOL_FULL)
    return { code: 'overloaded', message: 'All database connections are in use just now' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === DISK_FULL) return FULL;
  if (code !== undefined && TOO_LONG.test(code))
    return { code: 'database_slow', message: 'The database takes too long just now' };
  if (!isUnreachable(error, code)) return undefined;
  return isDiskFull ? FULL : { code: 'database_unavailable', message: 'The database cannot be reached just now' };
}

function isUnreachable(error: Error, code: string | undefined): boolean {
  if (code !== undefined && (SYSTEM_CODES.has(code) || SQL_STATES.test(code))) return true;
  // A Unix socket that is gone; any other missing file is a defect.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  return code === undefined && MESSAGES.some((message) => error.message.startsWith(message));
}
