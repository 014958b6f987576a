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

export interface Finding {
  check: Check;
  level: Level;
  /** The finding, as a sentence. */
  message: string;
  /** The remedy; undefined when none is necessary. */
  advice?: string;
}

/** Creates a finding; without a level all is well. */
export function find(check: Check, message: string, level: Level = 'ok', advice?: string): Finding {
  return { check, level, message, ...(advice !== undefined && { advice }) };
}

/** Returns the findings of a check. A check that fails is a finding, too, and takes no other with it. */
export async function runCheck(check: Check, run: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [find(check, `This check failed: ${describeError(error)}`, 'error')];
  }
}

/** An error that stands for several has no message of its own. */
export function describeError(error: unknown): string {
  if (error instanceof DatabaseConnectError) return explainConnectError(error);
  if (error instanceof AggregateError) return describeError(error.errors[0]);
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
