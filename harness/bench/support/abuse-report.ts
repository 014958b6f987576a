import { REACH, type Cell } from './abuse-cell.ts';
import type { Felt } from './small-work.ts';
import type { Row } from './table.ts';

/** What an operation cost, beside each kind of flood. */
export interface Measured {
  operation: string;
  idle: Felt;
  cells: Cell[];
}

export function describe(
  { what, felt, statuses, largestAnswerBytes, cpuMsPerAnswer, processors, isReached }: Cell,
  idle: Felt,
): string {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [
    `${what}: p50 ${felt.p50Ms.toFixed(1)} of ${idle.p50Ms.toFixed(1)} ms`,
    `rate ${(felt.stepsPerS / idle.stepsPerS).toFixed(2)}`,
    `live ${felt.liveMs.toFixed(0)} ms`,
    `answers ${answers.join(', ') || 'none'}, ${largestAnswerBytes} bytes at most, ${cpuMsPerAnswer?.toFixed(2) ?? '–'} ms of CPU each`,
    `service ${processors.toFixed(2)} processors`,
    isReached ? 'reached' : 'MISSED',
  ].join('; ');
}

const HEADS = ['operation', 'idle'];

/** One line for each operation. A cell is the p50 in terms of idle, the rate in terms of idle, and what was missed. */
export function formatCells(measured: readonly Measured[]): string[][] {
  const columns = [...new Set(measured.flatMap(({ cells }) => cells.map(({ what }) => what)))];
  const heads = [...HEADS, ...columns, 'largest answer', 'CPU of a request'];
  const lines = measured.map(({ operation, idle, cells }) => [
    operation,
    `${idle.p50Ms.toFixed(1)} ms`,
    ...columns.map((column) => {
      const cell = cells.find(({ what }) => what === column);
      if (!cell) return '–';
      const { felt } = cell;
      const times = `${(felt.p50Ms / idle.p50Ms).toFixed(1)} ×, ${(felt.stepsPerS / idle.stepsPerS).toFixed(2)}`;
      const live = felt.liveMs > REACH.liveMs ? `, live ${felt.liveMs.toFixed(0)} ms` : '';
      return cell.isReached ? times : `**${times}${live}**`;
    }),
    `${Math.max(...cells.map((cell) => cell.largestAnswerBytes)).toLocaleString('en')} B`,
    `${Math.max(...cells.map((cell) => cell.cpuMsPerAnswer ?? 0)).toFixed(1)} ms`,
  ]);
  return [heads, ...lines];
}

/** One row for each kind of flood, with its worst operations. */
export function summarize(measured: readonly Measured[]): Row[] {
  const all = measured.flatMap(({ operation, idle, cells }) =>
    cells.map((cell) => ({ operation, idle, cell, rate: cell.felt.stepsPerS / idle.stepsPerS })),
  );
  return [...new Set(all.map(({ cell }) => cell.what))].map((what) => {
    const ofKind = all.filter(({ cell }) => cell.what === what);
    const least = ofKind.reduce((one, other) => (other.rate < one.rate ? other : one));
    const missed = ofKind.filter(({ cell }) => !cell.isReached).length;
    return {
      what: `another person beside 100 in flight of one: ${what}`,
      ours: `${ofKind.length - missed} of ${ofKind.length} operations reached; worst ${least.operation}, p50 ${least.cell.felt.p50Ms.toFixed(0)} ms`,
      yardstick: `idle ${least.idle.p50Ms.toFixed(0)} ms`,
      ratio: least.rate,
      reach: `p50 ≤ ${REACH.p50Times} × idle + ${REACH.p50MoreMs} ms, rate ≥ ${REACH.rate}, live ≤ ${REACH.liveMs} ms`,
      reached: missed === 0,
    };
  });
}
