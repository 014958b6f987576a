/** Tries all crash points, or each of so many, and tells what came of them: `npm run simulate -- --crash-points`. */
import type { Report } from './child.ts';
import type { Children } from './children.ts';
import { FAULTS, type Fault } from './line.ts';

export interface CrashPointSummary {
  workers: number;
  /** Statements of the delivery without any fault. */
  statements: number;
  /** Worlds in which the fault happened; where a statement cannot be harmed so, there is none. */
  points: number;
  wrong: Array<{ statement: number; fault: Fault; faults: string[]; lines: Report['lines'] }>;
}

/** `every`: only each of so many points, with each kind of fault among them. */
export async function tryCrashPoints(
  children: Children,
  { workers, every, isStopped = () => false }: { workers: number; every: number; isStopped?: () => boolean },
): Promise<CrashPointSummary> {
  const nobody = { seed: 0, steps: 0, isComplete: false };
  const base = await children.run({ ...nobody, crashPoint: { workers } });
  if (base.faults.length > 0) throw new Error(`without any fault: ${base.faults.join('; ')}`);
  const { first = 0, last = -1 } = base;
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap((statement) =>
    FAULTS.map((fault) => ({ statement, fault })),
  );
  const chosen = all.filter((_, index) => index % every === 0);
  const summary: CrashPointSummary = { workers, statements: last - first + 1, points: 0, wrong: [] };
  await Promise.all(
    chosen.map(async (harm) => {
      if (isStopped()) return;
      const report = await children.run({ ...nobody, crashPoint: { workers, harm } });
      summary.points += report.harmed.length;
      if (report.faults.length > 0) summary.wrong.push({ ...harm, faults: report.faults, lines: report.lines });
    }),
  );
  return summary;
}
