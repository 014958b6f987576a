/** The API does not change by accident: its document is compared with the one that was committed. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDocument } from '../support/http/own-document.ts';
import { DOCUMENT_FILE } from '../../src/api/server/serve-document.ts';
import { ERROR_CODES } from '../../src/platform/errors/error-codes.ts';
import { createDocument } from '../../scripts/openapi/create-document.ts';
import { findExample } from '../../scripts/openapi/operation-examples.ts';

test('the committed OpenAPI document is that of the declarations; `npm run openapi` rewrites it after an intended change', async () => {
  const committed: unknown = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8'));
  expect(JSON.parse(JSON.stringify(await createDocument()))).toEqual(committed);
});

/** Of each some 800 are its path, body, answer and failures without a word, and 750 what is said of it and its fields. */
const BYTES_PER_OPERATION = 2_700;
/** Characters, beyond the first time. */
const MOST_REPEATED = 260;

test('the OpenAPI document stays small, since generators and readers load all of it', async () => {
  const document = (await readDocument()) as { paths: object };
  const operations = Object.keys(document.paths).length;
  expect(Buffer.byteLength(JSON.stringify(document)) / operations).toBeLessThan(BYTES_PER_OPERATION);
});

test('every request with several fields has an example; a field alone is plain from its schema', async () => {
  type Media = Record<string, { example?: object }>;
  const { paths } = (await readDocument()) as {
    paths: Record<string, { post?: { operationId: string; requestBody: { content: Media } } }>;
  };
  for (const { post } of Object.values(paths)) {
    const recorded = findExample(post?.operationId ?? '');
    if (!post || typeof recorded !== 'object' || recorded === null) continue;
    const shown = Object.values(post.requestBody.content).map(({ example }) => example);
    expect(shown, post.operationId).toEqual([Object.keys(recorded).length > 1 ? recorded : undefined]);
  }
});

test('says once what each error code means', async () => {
  const { components } = (await readDocument()) as {
    components: { responses: Record<string, { description: string }> };
  };
  const text = Object.values(components.responses)
    .map(({ description }) => description)
    .join('\n');
  const told = Object.entries(ERROR_CODES).map(
    ([code, [, meaning]]) => text.split(`- \`${code}\`: ${meaning}`).length - 1,
  );
  expect(told).toEqual(told.map(() => 1));
});

test('names no schema as a type that languages have, which a generated client could not tell from its own', async () => {
  const { components } = (await readDocument()) as { components: { schemas: object } };
  // Of browsers there is one, too, but no schema refers to that.
  const own = new Set(['MessageEvent']);
  const names = Object.keys(components.schemas).filter((name) => name in globalThis && !own.has(name));
  expect(names).toEqual([]);
});

/** Descriptions that stand in several places, where a shared schema could say them once, by the bytes that this would save. */
test('what is said of a field in several places is said once', async () => {
  const { components } = (await readDocument()) as { components: { schemas: object } };
  const found = new Map<string, number>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value))
      if (key === 'description' && typeof part === 'string') found.set(part, (found.get(part) ?? 0) + 1);
      else walk(part);
  };
  walk(components.schemas);
  const repeated = [...found].filter(([text, times]) => (times - 1) * text.length > MOST_REPEATED);
  expect(repeated.map(([text, times]) => `${times} × ${text}`)).toEqual([]);
});
