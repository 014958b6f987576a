import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

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

/** The process's log: JSON lines on stdout, or readable ones when stdout is a terminal (contract §1, `LOG_LEVEL`). */
export function createLog(level: string): Log {
  const options = { level, base: null, redact: { paths: SECRET_PATHS, censor: '[secret]' } };
  return process.stdout.isTTY ? pino(options, pretty({ colorize: true, sync: true })) : pino(options);
}
