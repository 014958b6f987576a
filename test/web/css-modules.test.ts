/** CSS modules: every class that a component uses exists, and every class is used. */
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

test('every CSS module class is used, and every used class exists', () => {
  const there = files('web/**/*.module.css').flatMap(classesIn).toSorted();
  const named = new Set(files('web/**/*.tsx').flatMap(classesNamedIn));
  expect(there.length).toBeGreaterThan(100);
  expect([...named].toSorted()).toEqual(there);
});

test('only figures, times and shares have numbers of equal width, which would widen the hyphens of words', () => {
  const styled = files('web/**/*.css').flatMap((path) =>
    [...textOf(path).matchAll(/([^{}]+)\{[^{}]*tabular-nums[^{}]*\}/g)].map(([, selector = '']) =>
      selector.replaceAll(/\/\*.*?\*\//gs, '').trim(),
    ),
  );
  const figures =
    /^\.(?:value|figures|rate|progress|share|time|timeShare|results \.number|table td:not\(\.name, .*\))$/;
  expect(styled.length).toBeGreaterThan(5);
  expect(styled.filter((selector) => !figures.test(selector))).toEqual([]);
});

test('cards, insets and warnings are drawn in one place, which components share', () => {
  const rules = files('web/**/*.module.css')
    .filter((path) => path !== 'web/parts/box.module.css')
    .flatMap((path) =>
      [...textOf(path).matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selector = '', body = '']) => ({
        name: `${path} ${selector.replaceAll(/\/\*.*?\*\//gs, '').trim()}`,
        isSurface: /background: var\(--(?:card|inset|warning)\)/.test(body) && /border(?:-radius)?: /.test(body),
      })),
    );
  // A bar is at the edge of a page: its upper corners are round only.
  const shared = rules.filter((rule) => rule.isSurface && rule.name !== 'web/parts/bottom-bar.module.css .bar');
  expect(shared.map((rule) => rule.name)).toEqual([]);
  const own = files('web/**/*.tsx').filter((path) => /<(?:Paper|Card)\b/.test(textOf(path)));
  expect(own, 'Mantine has surfaces of its own').toEqual([]);
});

test('backgrounds are the page, a card or an inset, and the tints and marks of states', () => {
  const surfaces = ['page', 'card', 'inset'];
  const tints = ['hover', 'warning', 'accent-tint'];
  const marks = ['line', 'read', 'failed', 'good', 'mantine-color-(?:text|dimmed|bronze-(?:\\d|filled))'];
  const allowed = new RegExp(`^(?:none|var\\(--(?:${[...surfaces, ...tints, ...marks].join('|')})\\))$`);
  // The phone has the look of WhatsApp; a chip and a selected row mix the colour of their state into a card.
  const own = files('web/**/*.css').filter((path) => !/^web\/(?:whatsapp|phone)\//.test(path));
  const drawn = own.flatMap((path) =>
    [...textOf(path).matchAll(/background(?:-color)?: ([^;]+);/g)].map(([, value = '']) => value),
  );
  expect(drawn.length).toBeGreaterThan(30);
  expect(drawn.filter((value) => !allowed.test(value) && !value.startsWith('color-mix('))).toEqual([]);
});
