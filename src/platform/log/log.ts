import { pino, type Logger, type LoggerOptions } from 'pino';
import { isConnectionWait } from '../errors/database-errors.ts';

export type Log = Logger;

const SECRET_PATHS = [
  'password',
  'token',
  'key',
  'authorization',
  '*.password',
  '*.token',
  '*.authorization',
  'headers.authorization',
];

// Only a person at a terminal needs it.
const pretty = process.stdout.isTTY ? (await import('pino-pretty')).default : undefined;

/** The format of log lines: the level as a word, the time in ISO 8601 (UTC), errors as `serializeError` writes them. */
export const FORM = {
  base: null,
  redact: { paths: SECRET_PATHS, censor: '[secret]' },
  formatters: { level: (level) => ({ level }) },
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: serializeError },
} satisfies LoggerOptions;

/** The format for a terminal: one line each, with local date and time. */
export const READABLE = { sync: true, singleLine: true, translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l' };

/** The process's log: JSON lines on stdout, or readable ones when stdout is a terminal (contract §1, `LOG_LEVEL`). */
export function createLog(level: string): Log {
  const options = { ...FORM, level };
  return pretty ? pino(options, pretty({ ...READABLE, colorize: true })) : pino(options);
}

/** Returns the level of the line about a failure that is tried again: `warn` for a wait for a database connection, which is load. */
export function failureLevel(error: unknown): 'warn' | 'error' {
  return isConnectionWait(error) ? 'warn' : 'error';
}

/** The fields of an error from a database server, or from the system for a connection. */
const REPORTED_FIELDS = [
  'code',
  'detail',
  'hint',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'syscall',
] as const;

/** An error that the database's server or the system reports says all in its words; only of others one needs to know where they arose. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error) || !isReported(error)) return pino.stdSerializers.err(error as Error);
  const fields = REPORTED_FIELDS.map((name) => [name, Reflect.get(error, name)] as const);
  return {
    type: error.name,
    message: error.message,
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
  };
}

/** SQLSTATEs, the names of system errors, and waits for a connection. */
function isReported(error: Error): boolean {
  if (isConnectionWait(error)) return true;
  if (!('code' in error) || typeof error.code !== 'string') return false;
  return /^E[A-Z]{3,}$/.test(error.code) || ('severity' in error && /^[0-9A-Z]{5}$/.test(error.code));
}
