import type { Database } from './statements.ts';
import { findChangedFunctions } from './apply-functions.ts';
import { inspectSchema } from './inspect-schema.ts';
import { loadSchemaFiles, type Migration } from './schema-files.ts';

/** The next start's changes to a database. */
export interface UpgradePlan {
  /** Why the start would fail, in a sentence; undefined: it would not. */
  problem: string | undefined;
  /** Whether the database is unused: it gets the whole schema in one step. */
  isNew: boolean;
  steps: readonly UpgradeStep[];
  /** Functions that are replaced, by name. */
  functions: readonly string[];
  epoch: { from: number; to: number };
}

export interface UpgradeStep {
  name: string;
  /** The migration's own statement about its locks, and how long they are held with a million deliveries. */
  locks: string;
}

/** Returns the plan of an upgrade. Read-only. */
export async function planUpgrade(db: Database): Promise<UpgradePlan> {
  const files = await loadSchemaFiles();
  const { applied, pending, epoch, problem } = await inspectSchema(db, files);
  const functions = problem === undefined ? await findChangedFunctions(db, files.functions) : [];
  return {
    problem,
    isNew: applied.length === 0,
    steps: applied.length === 0 ? [] : pending.map(describeStep),
    functions: functions.map(({ name }) => name),
    epoch: { from: epoch, to: Math.max(files.epoch, epoch) },
  };
}

function describeStep({ name, sql: text = '' }: Migration): UpgradeStep {
  return { name, locks: readLocks(text) };
}

/** Returns the comment that begins with `Locks:`, up to a line without text. */
function readLocks(text: string): string {
  const [, locks = ''] = /^-- Locks: ((?:.*\n)(?:-- \S.*\n)*)/m.exec(text) ?? [];
  return locks.replaceAll(/\s*\n(-- )?/g, ' ').trim();
}
