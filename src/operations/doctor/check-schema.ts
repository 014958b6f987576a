import { findChangedFunctions } from '../../platform/database/apply-functions.ts';
import type { Database } from '../../platform/database/statements.ts';
import { inspectSchema } from '../../platform/database/inspect-schema.ts';
import { loadSchemaFiles } from '../../platform/database/schema-files.ts';
import { fail, ok, warn, type Results } from './finding.ts';

/** Compares the schema with its fingerprint, the functions with their sums, and the epoch with that of this version. */
export async function checkSchema(db: Database): Promise<Results> {
  const files = await loadSchemaFiles();
  const { applied, pending, epoch, problem } = await inspectSchema(db, files);
  if (problem !== undefined) return fail(problem, 'Do that before the next start, which rejects this database.');
  if (pending.length > 0 || epoch < files.epoch)
    return warn(
      `The schema is older than this version: the next start upgrades it from epoch ${epoch} to ${files.epoch}`,
      'Run "campanile upgrade --check" to see the changes.',
    );
  const changed = await findChangedFunctions(db, files.functions);
  if (changed.length > 0)
    return fail(
      `Functions of the database are missing or differ from this version: ${changed.map(({ name }) => name).join(', ')}`,
      'Restart Campanile: a start replaces them.',
    );
  return ok(`The schema matches ${applied.at(-1)?.name} (epoch ${epoch})`);
}
