import { InvalidConfigError, readConfig, type Config } from '../platform/config/config.ts';
import { findMisspellings, runChecks } from '../operations/doctor/run-checks.ts';
import { describeError, fail, runCheck, type Finding } from '../operations/doctor/finding.ts';
import { readVersion } from '../platform/config/version.ts';
import type { Given, JsonFlag } from './command.ts';
import { withDatabase } from './with-database.ts';
import { writeJson } from './write-json.ts';

/** `campanile doctor`: 0 unless something is wrong, then 1; warnings alone are a 0. */
export async function doctor({ options: { json }, output }: Given<never, JsonFlag>): Promise<number> {
  const at = new Date();
  const findings = await collectFindings();
  if (json) writeJson(output, document(findings, at));
  else output.write(formatFindings(findings));
  return findings.some(({ level }) => level === 'error') ? 1 : 0;
}

/** Returns all findings. An invalid configuration and an unreachable database are findings, too. */
async function collectFindings(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    const advice = 'See docs/reference/configuration.md.';
    return runCheck('configuration', () => [
      ...error.problems.map((problem) => fail(problem, advice)),
      ...findMisspellings(error),
    ]);
  }
  try {
    return await withDatabase(({ db }) => runChecks({ config, db }));
  } catch (error) {
    return runChecks({ config, away: describeError(error) });
  }
}

function document(findings: readonly Finding[], at: Date) {
  return { examined_at: at.toISOString(), ...readVersion(), findings: findings.map(toWire) };
}

const toWire = ({ check, level, message, advice }: Finding) => ({ check, level, message, advice: advice ?? null });

const LEVEL_WIDTH = 'warning'.length;

/** A line for each finding, and one below it where something is to be done. */
function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(LEVEL_WIDTH + width + 4);
  const lines = findings.map(
    ({ check, level, message, advice }) =>
      `${level.padEnd(LEVEL_WIDTH)}  ${check.replace('_', ' ').padEnd(width)}  ${message}\n${advice === undefined ? '' : `${indent}→ ${advice}\n`}`,
  );
  const count = (wanted: Finding['level']) => findings.filter(({ level }) => level === wanted).length;
  return `${lines.join('')}\nErrors: ${count('error')}. Warnings: ${count('warning')}.\n`;
}
