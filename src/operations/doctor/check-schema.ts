import { findChangedFunctions } from '../../platform/database/apply-functions.ts';
import type { Database } from '../../platform/database/connect.ts';
import { inspectSchema } from '../../platform/database/inspect-schema.ts';
import { loadSchemaFiles } from '../../platform/database/schema-files.ts';
import { find, type Finding } from './finding.ts';

const SHOWN_DIGITS = 12;

/** Compares the schema with its fingerprint, the migrations and functions with their sums, and the epoch with that of this version. */
export async function checkSchema(db: Database): Promise<Finding[]> {
  const files = await loadSchemaFiles();
  const { applied, pending, epoch, fingerprint, problem } = await inspectSchema(db, files);
  if (problem !== undefined)
    return [find('schema', problem, 'error', 'Do that before the next start, which rejects this database.')];
  if (pending.length > 0 || epoch < files.epoch.number)
    return [
      find(
        'schema',
        `The schema is older than this version: the next start upgrades it from epoch ${epoch} to ${files.epoch.number}`,
        'warning',
        'Run "campanile upgrade --check" to see the changes.',
      ),
    ];
  const changed = await findChangedFunctions(db, files.functions);
  if (changed.length > 0)
    return [
      find(
        'schema',
        `Functions of the database are missing or differ from this version: ${changed.map(({ name }) => name).join(', ')}`,
        'error',
        'Restart Campanile: a start replaces them.',
      ),
    ];
  const newest = applied.at(-1)?.name;
  return [
    find('schema', `The schema matches ${newest} (epoch ${epoch}, fingerprint ${fingerprint.slice(0, SHOWN_DIGITS)})`),
  ];
}
