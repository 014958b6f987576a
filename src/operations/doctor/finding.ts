/** The findings of the doctor. */
import { DatabaseConnectError, explainConnectError } from '../../platform/errors/database-errors.ts';

/** The checks, in the order of the report. */
export const CHECKS = [
  'configuration',
  'database',
  'schema',
  'disk',
  'clock',
  'permissions',
  'secrets',
  'hold',
  'workers',
  'loops',
  'runs',
  'accounts',
  'quarantine',
  'whatsapp',
  'client_version',
  'link_previews',
  'files',
  'backups',
] as const;

export type Check = (typeof CHECKS)[number];

/** `error`: something does not work, or is about to be lost. `warning`: it works, and needs attention. */
export type Level = 'ok' | 'warning' | 'error';

/** What a check has found. */
export interface CheckResult {
  level: Level;
  /** The finding, as a sentence. */
  message: string;
  /** The remedy; undefined when none is necessary. */
  advice?: string;
}

export type Results = CheckResult | CheckResult[];

export type Finding = CheckResult & { check: Check };

export const report = (level: Level, message: string, advice?: string): CheckResult => ({
  level,
  message,
  ...(advice !== undefined && { advice }),
});
export const ok = (message: string) => report('ok', message);
export const warn = (message: string, advice?: string) => report('warning', message, advice);
export const fail = (message: string, advice?: string) => report('error', message, advice);

/** Returns the problems; where there is none, that all is well. */
export async function orOk(problems: Iterable<CheckResult> | AsyncIterable<CheckResult>, message: string) {
  const found = await Array.fromAsync(problems);
  return found.length > 0 ? found : [ok(message)];
}

/** Returns the findings of a check. A check that fails is a finding, too, and takes no other with it. */
export async function runCheck(check: Check, run: () => Promise<Results> | Results): Promise<Finding[]> {
  const results = await Promise.try(run).catch((error: unknown) => fail(`This check failed: ${describeError(error)}`));
  return [results].flat().map((result) => ({ check, ...result }));
}

/** An error that stands for several has no message of its own. */
export function describeError(error: unknown): string {
  if (error instanceof DatabaseConnectError) return explainConnectError(error);
  if (error instanceof AggregateError) return describeError(error.errors[0]);
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
