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
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/** A statement that took too long or was cancelled, a lock that took too long to get, a transaction that did. */
const TOO_LONG = /^(57014|55P03|25P04)$/;

/** Why the database cannot do just now what was asked of it, as a sentence; undefined for an error that says anything else. */
export function whyDatabaseAway(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && TOO_LONG.test(code)) return 'The database takes too long just now';
  return isUnreachable(error, code) ? 'The database cannot be reached just now' : undefined;
}

function isUnreachable(error: Error, code: string | undefined): boolean {
  if (code !== undefined && (SYSTEM_CODES.has(code) || SQL_STATES.test(code))) return true;
  // A Unix socket that is gone; any other missing file is a defect.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  return code === undefined && MESSAGES.some((message) => error.message.startsWith(message));
}
