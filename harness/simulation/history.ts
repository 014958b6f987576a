/** What happened in a simulated world, in order: docs/reference/simulation-history.md. */
import { createHash } from 'node:crypto';
import { writeLines, type Happening, type Line } from './line.ts';
import { time } from './virtual-time.ts';

export interface History {
  lines: Line[];
  add(happening: Happening): void;
  /** Of all lines so far, as hex. */
  hash(): string;
}

export function openHistory(): History {
  const lines: Line[] = [];
  return {
    lines,
    add: (happening) => void lines.push({ atMs: time.nowMs(), ...happening }),
    hash: () => createHash('sha256').update(writeLines(lines)).digest('hex'),
  };
}
