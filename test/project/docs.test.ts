import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { decisionsIndex, readDecisions } from '../../scripts/write-decisions-index.ts';
import { SECRETS } from '../../src/platform/config/config.ts';
import { VARIABLES } from '../../src/platform/config/variables.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root });

/** Returns the names in backticks, outside code blocks. */
function namesIn(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Returns the cells of the table rows below a heading, without the header row. */
function rowsBelow(document: string, heading: string): string[][] {
  const section = document.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => row.split('|').slice(1, -1));
}

/** Returns the anchor of a Markdown heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

test('every link in the documents has a target', () => {
  expect(documents.length).toBeGreaterThan(10);
  const broken = documents.flatMap((document) => {
    const text = read(document);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    return links.flatMap(([link, path = '', anchor]) => {
      const target = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(root, target))) return [`${document}: ${link}`];
      if (anchor === undefined) return [];
      const anchors = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
      return anchors.includes(anchor) ? [] : [`${document}: ${link}`];
    });
  });
  expect(broken).toEqual([]);
});

test('every source file and test that the documents name exists', () => {
  const named = documents
    .flatMap((document) => namesIn(read(document)))
    .filter((name) => /^(src|test|bin|docs)\/[\w./-]+\.\w+$/.test(name));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the index lists every document except single decisions and pages of the API reference', () => {
  const index = read('docs/README.md');
  const single = /^docs\/(README|explanation\/decisions\/\d.*|reference\/api\/(?!README).*)\.md$/;
  const pages = documents.filter((path) => path.startsWith('docs/') && !single.test(path));
  expect(pages.filter((path) => !index.includes(`](${path.replace('docs/', '')})`))).toEqual([]);
});

test('a cell of a table in the contract and the API reference has at most 40 words', () => {
  const pages = documents.filter((path) => /^docs\/reference\/(contract|api\/.*)\.md$/.test(path));
  const cells = pages.flatMap((path) =>
    [...read(path).matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
      row.split(/(?<!\\)\|/).map((cell) => `${path}: ${cell.trim()}`),
    ),
  );
  expect(cells.length).toBeGreaterThan(1_000);
  // A list of values in code is looked up, and not read.
  const words = (cell: string) => cell.replaceAll(/`[^`]*`,? ?/g, '').split(/\s+/);
  expect(cells.filter((cell) => words(cell).length > 41)).toEqual([]);
});

test('the index of decisions lists each page in order: npm run docs', () => {
  expect(read('docs/explanation/decisions/README.md')).toBe(decisionsIndex());
});

test('every decision that a comment or a document names exists', () => {
  const decisions = readDecisions();
  const files = globSync('{src,web,test,harness,scripts,clients,docs,deploy}/**/*.{ts,tsx,sql,md,mjs,css,py}', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/decisions\/(\d{4})([\w-]*)/g)].map(([, number = '', rest = '']) => ({
      file,
      number,
      rest,
    })),
  );
  expect(named.length).toBeGreaterThan(50);
  const isFrozen = (file: string) => /^src\/platform\/database\/migrations|^test\/upgrade/.test(file);
  const wrong = named.filter(({ file, number, rest }) =>
    isFrozen(file)
      ? !decisions.some((decision) => decision.number === number || decision.replaced.includes(number))
      : !decisions.some((decision) => decision.number === number && (!rest || decision.file === `${number}${rest}.md`)),
  );
  expect(wrong).toEqual([]);
});

test('the configuration page lists exactly the variables, with their defaults', () => {
  const page = read('docs/reference/configuration.md');
  const rows = rowsBelow(page, 'Variables').map(([names = '', defaults = '']) => [namesIn(names), namesIn(defaults)]);
  expect(rows.flatMap(([names = []]) => names).toSorted()).toEqual(Object.keys(VARIABLES.shape).toSorted());
  const documented = rows.flatMap(([names = [], defaults = []]) => names.map((name, index) => [name, defaults[index]]));
  const defaults = Object.entries(VARIABLES.shape).filter(([, variable]) => variable instanceof z.ZodPrefault);
  expect(documented).toEqual(
    expect.arrayContaining(defaults.map(([name, variable]) => [name, (variable as z.ZodPrefault).def.defaultValue])),
  );
});

test('the configuration page lists every variable that can be read from a file', () => {
  const paragraph = /^\*\*Secrets from files\*\*.*$/m.exec(read('docs/reference/configuration.md'))?.[0] ?? '';
  expect(namesIn(paragraph).toSorted()).toEqual(['JWT_SECRET_FILE', ...SECRETS].toSorted());
});

test('the metrics page lists exactly the metrics of the service', () => {
  const described = namesIn(read('docs/reference/metrics.md')).filter((name) => /^campanile_\w+$/.test(name));
  const sources = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n');
  const counted = [...sources.matchAll(/(?:name: |gauge\(|add\w+\(\s*(?:registry|metrics),\s*)'(campanile_\w+)'/g)].map(
    ([, name = '']) => name,
  );
  expect([...new Set(described)].toSorted()).toEqual(counted.toSorted());
});

test('the glossary is sorted, and defines the terms of the architecture that users meet', () => {
  const termsOf = (path: string) =>
    [...read(path).matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)]
      .map(([, term = '']) => term)
      .filter((term) => term !== 'term' && term !== '---');
  const glossary = termsOf('docs/reference/glossary.md');
  expect(glossary).toEqual(glossary.toSorted((one, other) => one.localeCompare(other, 'en')));
  const page = read('docs/explanation/architecture.md');
  const [terms = ''] = page.slice(page.indexOf('## Terms')).split('\n## Groups');
  const inCode = [...terms.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)]
    .flatMap(([, term = '']) => term.split(', '))
    .slice(1);
  expect(inCode.length).toBeGreaterThan(20);
  // A lane is seen in the code alone.
  const missing = inCode.filter((term) => term !== '---' && term !== 'lane' && !glossary.includes(term));
  expect(missing).toEqual([]);
});
