import { pino, type Logger } from 'pino';

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

/** The process's log: JSON lines on stdout, or readable ones when stdout is a terminal (contract §1, `LOG_LEVEL`). */
export function createLog(level: string): Log {
  const options = { level, base: null, redact: { paths: SECRET_PATHS, censor: '[secret]' } };
  return pretty ? pino(options, pretty({ colorize: true, sync: true })) : pino(options);
}
