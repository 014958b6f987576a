import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/** Prints which files took longest, before the summary: where to look when the suite becomes slow. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const timed = modules
      .map((module) => ({ name: relative(process.cwd(), module.moduleId), ms: timeOf(module) }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SHOWN);
    if (modules.length <= SHOWN) return;
    const lines = timed.map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${name}`);
    process.stdout.write(`\nThe ${SHOWN} slowest files:\n${lines.join('\n')}\n`);
  }
}

/** Its tests and hooks, and reading it; not the wait for its turn. In milliseconds. */
function timeOf(module: TestModule): number {
  const { duration, collectDuration } = module.diagnostic();
  return duration + collectDuration;
}
