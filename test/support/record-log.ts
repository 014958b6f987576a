import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Log } from '../../src/platform/log/log.ts';

export interface LogLine extends Record<string, unknown> {
  level: number;
  msg: string;
}

/** A log that stores its lines. */
export function recordLog(level: string): { log: Log; lines(): LogLine[] } {
  const texts: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      texts.push(chunk.toString());
      done();
    },
  });
  return {
    log: pino({ level, base: null }, stream),
    lines: () =>
      texts
        .join('')
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => JSON.parse(text) as LogLine),
  };
}
