/** Connection exceptions, shutting down, starting up, too many connections, and a server that only takes reads just now. */
const SQL_STATES = /^(08...|57P0[123]|53300|25006)$/;
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
];

/** Whether an error says that the database cannot be reached or used just now, and nothing about the request. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && (SYSTEM_CODES.has(code) || SQL_STATES.test(code))) return true;
  // A Unix socket that is gone; any other missing file is a defect.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  return code === undefined && MESSAGES.some((message) => error.message.startsWith(message));
}
