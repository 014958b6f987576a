/** What the dashboard says is in one file, so that another language is another file. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';
import { en } from '../../web/words/en.ts';

const root = join(import.meta.dirname, '../..');
const pages = globSync('web/**/*.{ts,tsx}', { cwd: root, exclude: ['web/dist*/**', 'web/words/**'] });

/** What is shown or read out of these attributes, and of properties that are called so. */
const SHOWN = /^(?:label|title|placeholder|alt|description|hint|message|aria-label)$/;

interface Part {
  type: string;
  [name: string]: unknown;
}

/** Words between tags, in an attribute or a property that is shown or read out, or in a text that a tag is given. */
function wordsIn(source: string): string[] {
  const found: string[] = [];
  const look = (part: Part, isShown: boolean) => {
    if (part.type === 'JSXText' || (isShown && part.type === 'Literal')) found.push(String(part['value']).trim());
    if (isShown && part.type === 'TemplateElement') found.push((part['value'] as { raw: string }).raw.trim());
    for (const value of Object.values(part))
      for (const inner of Array.isArray(value) ? value : [value])
        if (isPart(inner)) look(inner, showsText(part, inner, isShown));
  };
  look(parseAst(source, { lang: 'tsx' }) as unknown as Part, false);
  return found.filter((text) => /[a-z]{2}/i.test(text));
}

/** Whether a text that is directly in `inner`, which is in `part`, comes to somebody's eyes or ears. */
function showsText(part: Part, inner: Part, isShown: boolean): boolean {
  if (part.type === 'JSXElement' || part.type === 'JSXFragment') return inner.type === 'JSXExpressionContainer';
  if (part.type === 'JSXAttribute' || part.type === 'Property') {
    const key = (part['name'] ?? part['key']) as { name?: unknown; value?: unknown };
    return inner === part['value'] && SHOWN.test(String(key.name ?? key.value));
  }
  const passesOn = /^(?:JSXExpressionContainer|TemplateLiteral|ConditionalExpression|LogicalExpression)$/.test(
    part.type,
  );
  return passesOn && isShown && inner !== part['test'];
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && 'type' in value;
}

test('no page contains texts', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(
    pages.flatMap((path) => wordsIn(readFileSync(join(root, path), 'utf8')).map((text) => `${path}: ${text}`)),
  ).toEqual([]);
});

test('finds texts in a page', () => {
  const source = `const entry = { label: 'Go there', href: '/groups' };
    const page = <Box size="xs">Send it {isLate ? 'too late' : \`by \${time}\`}<TextInput label="Your name" key="name" /></Box>;`;
  expect(wordsIn(source)).toEqual(['Go there', 'Send it', 'too late', 'by', 'Your name']);
});

test('no text sounds like a machine', () => {
  const texts: string[] = [];
  const collect = (value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(en);
  expect(texts.length).toBeGreaterThan(200);
  expect(texts.filter((text) => /\boops\b|error \d|invalid|undefined|null|please|!$/i.test(text))).toEqual([]);
  expect(texts.filter((text) => text.trim() !== text || text === '')).toEqual([]);
});
