/** Every text of the dashboard is a message of the catalogs, so that another language is another file. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = globSync('web/**/*.{ts,tsx}', { cwd: root, exclude: ['web/dist*/**'] });

/** What is shown or read out of these attributes, and of properties that are called so. */
const SHOWN = /^(?:label|title|placeholder|alt|description|hint|message|aria-label)$/;

interface Part {
  type: string;
  [name: string]: unknown;
}

/** Texts between tags, in an attribute or a property that is shown or read out, or in a text that a tag is given. */
function textsIn(source: string): string[] {
  const found: string[] = [];
  const look = (part: Part, isShown: boolean) => {
    if (part.type === 'JSXText' || (isShown && part.type === 'Literal' && part['value'] !== null))
      found.push(String(part['value']).trim());
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

test('no page has a text of its own', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(
    pages.flatMap((path) => textsIn(readFileSync(join(root, path), 'utf8')).map((text) => `${path}: ${text}`)),
  ).toEqual([]);
});

test('a text in a page would be found', () => {
  const source = `const entry = { label: 'Go there', href: '/groups' };
    const page = <Box size="xs">Send it {isLate ? 'too late' : \`by \${time}\`}<TextInput label="Your name" key="name" /></Box>;`;
  expect(textsIn(source)).toEqual(['Go there', 'Send it', 'too late', 'by', 'Your name']);
});
