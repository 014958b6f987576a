import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { readImports } from '../support/architecture.ts';

const root = join(import.meta.dirname, '../..');
/** Replaces timers and `Date` by virtual time in its whole process. */
const VIRTUAL_TIME = 'harness/simulation/virtual-time.ts';

test('no test imports the virtual clock, which would affect tests in the same process', () => {
  const paths = ['test', 'harness'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && file.name.endsWith('.ts'))
      .map((file) => relative(root, join(file.parentPath, file.name))),
  );
  const imports = readImports(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])));
  const loads = Map.groupBy(
    imports.filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  );
  const reaches = (path: string, passed = new Set<string>()): boolean => {
    if (path === VIRTUAL_TIME) return true;
    if (passed.has(path)) return false;
    passed.add(path);
    return (loads.get(path) ?? []).some(({ to }) => reaches(to, passed));
  };
  const children = paths.filter((path) => path.startsWith('harness/simulation/') && reaches(path));
  expect(children).toContain('harness/simulation/child.ts');
  const tests = paths.filter((path) => path.endsWith('.test.ts'));
  expect(tests.filter((path) => reaches(path))).toEqual([]);
});
