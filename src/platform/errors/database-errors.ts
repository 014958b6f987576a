/** Classifies errors of the PostgreSQL driver: by SQLSTATE, by the system's error code, or by the message if there is no code. */
import { errorCodeOf, type OverloadError } from './errors.ts';

/** All connections are in use, but the database is reachable. Not an AppError, since a part of the work may have been done. */
export class ConnectionWaitError extends Error {
  constructor(cause: OverloadError) {
    super(cause.message, { cause });
    this.name = 'ConnectionWaitError';
  }
}

/** No connection could be made: the server is away, or rejects this process, or a certificate or a file is wrong. */
export class DatabaseConnectError extends Error {
  /** That of the cause: an SQLSTATE, or a code of the system or of TLS. */
  readonly code: string | undefined;
  /** A sentence that strangers may read. */
  readonly reason: string;

  constructor(cause: unknown) {
    const code = errorCodeOf(cause);
    super(messageOf(cause) || code || 'unknown error', { cause });
    this.name = 'DatabaseConnectError';
    this.code = code;
    this.reason = describeCause(cause, code, this.message);
  }
}

/** An error that stands for several, as of a host with two addresses, has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

const TLS = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/;
/** The driver gives these failures no code. */
const TLS_MESSAGES = /SSL connection|before secure TLS connection/;

/** Returns the reason with the words of the server, the system or TLS, which may name users and files: for operators only. */
export function explainConnectError({ reason, message }: DatabaseConnectError): string {
  return `${reason} (${message})`;
}

function describeCause(cause: unknown, code = '', message = ''): string {
  if (code === '28P01') return 'The database rejects the user or the password of this service';
  // 42501: the role may not connect to this database.
  if (code.startsWith('28') || code === '42501') return 'The database does not admit this service';
  if (code === '3D000') return 'The database that this service is to use does not exist';
  if (TLS.test(code) || TLS_MESSAGES.test(message)) return 'No secure connection to the database can be made';
  if (code === 'ERR_INVALID_URL') return 'The address of the database is invalid';
  // The file of an address or a certificate.
  if (cause instanceof Error && 'syscall' in cause && (cause.syscall === 'open' || cause.syscall === 'read'))
    return 'A file that a connection to the database needs cannot be read';
  return 'The database cannot be reached just now';
}

/** Whether an error says that all connections of a pool were in use for too long. This is load, and no defect: its stack says nothing. */
export function isConnectionWait(error: unknown): boolean {
  return error instanceof ConnectionWaitError || (error instanceof Error && error.message === POOL_FULL);
}

/**
 * Connection exceptions; a role or a database that is rejected; resources used up (disk, memory, connections); an administrator or a crash that ends the connection, or a
 * server that is starting up; one that cannot read or write its files; one that only takes reads just now; a transaction cut off
 * because this process was too slow to go on with it.
 */
const SQL_STATES = /^(08...|28...|3D000|53...|57P0.|58030|25006|25P03)$/;
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
/** The pool says so only while all of its connections are in use. */
const POOL_FULL = 'timeout exceeded when trying to connect';
/** The driver gives these failures no code. */
const MESSAGES = [
  POOL_FULL,
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/** Whether the server could not be reached, or could not do anything at all. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseConnectError) return true;
  const code = errorCodeOf(error);
  if (code !== undefined && (SYSTEM_CODES.has(code) || SQL_STATES.test(code))) return true;
  // A Unix socket that is gone; any other missing file is a defect.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  return code === undefined && MESSAGES.some((message) => error.message.startsWith(message));
}

const SQL_STATE = /^[0-9A-Z]{5}$/;
/**
 * Classes of SQLSTATE that are about the rows a statement met: a triggered action (09, 27), case not found (20), cardinality (21),
 * values (22), constraints (23, 44), functions (38, 39, P0), one row over a limit (54), a damaged row or an internal error (XX).
 */
const ABOUT_ROWS = /^(?:09|20|21|22|23|27|38|39|44|54|P0|XX)/;
const ABORTED = new Set(['AbortError', 'TimeoutError']);

/**
 * Whether an error is about the data that was worked on, so that the same work without the row at fault would succeed. False for a lost
 * connection, a serialization failure, a deadlock, a lock or statement timeout, a full disk, a missing table, column or function, and a
 * missing permission: those are nobody's own. An error without a code comes from our own reading of the data.
 */
export function isDataError(error: unknown): boolean {
  if (!(error instanceof Error) || ABORTED.has(error.name)) return false;
  if (isConnectionWait(error) || isDatabaseUnreachable(error)) return false;
  const code = errorCodeOf(error);
  if (code === undefined) return true;
  return SQL_STATE.test(code) ? ABOUT_ROWS.test(code) : code.startsWith('ERR_');
}
