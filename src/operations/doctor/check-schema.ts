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
    return [find('schema', problem, 'error', 'Do that before Campanile is started again: it refuses such a database.')];
  if (pending.length > 0 || epoch < files.epoch.number)
    return [
      find(
        'schema',
        `It is of an older version: the next start brings it from epoch ${epoch} to ${files.epoch.number}`,
        'warning',
        'See what that does: campanile upgrade --check',
      ),
    ];
  const changed = await findChangedFunctions(db, files.functions);
  if (changed.length > 0)
    return [
      find(
        'schema',
        `Functions of the database are missing or not those of this version: ${changed.map(({ name }) => name).join(', ')}`,
        'error',
        'Start Campanile again: a start puts them back.',
      ),
    ];
  const newest = applied.at(-1)?.name;
  return [
    find(
      'schema',
      `The schema is the one of ${newest} (epoch ${epoch}, fingerprint ${fingerprint.slice(0, SHOWN_DIGITS)})`,
    ),
  ];
}
