import { createHash } from 'node:crypto';
import type { Catalog } from './read-catalog.ts';
import type { Migration } from './schema-files.ts';

/** Returns the catalog that a database has after these migrations, by their fingerprints. */
export function expectCatalog(applied: ReadonlyArray<Pick<Migration, 'fingerprint'>>): Catalog {
  const expected = new Map<string, string>();
  for (const line of applied.flatMap(({ fingerprint }) => fingerprint)) {
    const [, sign, key = '', definition = ''] = /^([+-]) (.+?): ?(.*)$/.exec(line) ?? [];
    if (sign === '+') expected.set(key, definition);
    else if (sign === '-') expected.delete(key);
    else throw new Error(`a fingerprint has a line that is none: ${line}`);
  }
  return expected;
}

/** Returns the fingerprint of a migration: the lines by which the catalog after it differs from the one before. */
export function compareCatalogs(before: Catalog, after: Catalog): string[] {
  const lines = (of: Catalog, other: Catalog, sign: string) =>
    [...of]
      .filter(([key, definition]) => other.get(key) !== definition)
      .map(([key, definition]) => `${sign} ${key}: ${definition}`.trimEnd());
  return [...lines(before, after, '-'), ...lines(after, before, '+')];
}

/**
 * Returns what is missing in a database or differs, each as a sentence without its full stop. What an operator has added is no
 * difference. Where `comparesDefinitions` is false only missing parts count: a newer PostgreSQL may write definitions in another way.
 */
export function findDifferences(expected: Catalog, found: Catalog, comparesDefinitions = true): string[] {
  const missing = [...expected.keys()].filter((key) => !found.has(key));
  const tables = new Set(missing.filter((key) => key.startsWith('table ')).map((key) => key.slice('table '.length)));
  return [
    // The columns of a missing table go without saying.
    ...missing.filter((key) => !tables.has(/^\S+ (.+?)\./.exec(key)?.[1] ?? '')).map((key) => `${key} is missing`),
    ...[...expected]
      .filter(([key, definition]) => comparesDefinitions && (found.get(key) ?? definition) !== definition)
      .map(([key, definition]) => `${key} is "${found.get(key)}" and not "${definition}"`),
  ];
}

/** The SHA-256 of a catalog, by which people compare two databases. */
export function sumCatalog(catalog: Catalog): string {
  const lines = [...catalog].map(([key, definition]) => `${key}: ${definition}`).toSorted();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
