/** Styles are beside the parts they style: what a part names is there, and nothing is there that no part names. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const files = (pattern: string) => globSync(pattern, { cwd: root, exclude: ['web/dist*/**'] });
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** Classes by the file that holds them, as `file.module.css .name`. */
function classesIn(path: string): string[] {
  const own = textOf(path)
    .replaceAll(/\/\*.*?\*\/|:global\([^)]*\)|\{[^{}]*\}/gs, '')
    .matchAll(/\.([a-zA-Z]\w*)/g);
  return [...new Set([...own].map(([, name]) => `${path} .${name}`))];
}

function classesNamedIn(path: string): string[] {
  const source = textOf(path);
  return [...source.matchAll(/^import (\w+) from '(\..*\.module\.css)';$/gm)].flatMap(([, local, file = '']) => {
    const styles = join(path, '..', file);
    return [...source.matchAll(new RegExp(`\\b${local}\\.(\\w+)`, 'g'))].map(([, name]) => `${styles} .${name}`);
  });
}

test('each class that a part names is in its file, and each that is there is named', () => {
  const there = files('web/**/*.module.css').flatMap(classesIn).toSorted();
  const named = new Set(files('web/**/*.tsx').flatMap(classesNamedIn));
  expect(there.length).toBeGreaterThan(100);
  expect([...named].toSorted()).toEqual(there);
});
