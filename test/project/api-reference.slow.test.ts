/** The API reference: sends its examples to the service and compares its pages. `npm run docs` runs this file to write them. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderApiReference } from '../../scripts/render-api-reference.ts';
import type { OpenApiDocument } from '../support/api-reference/document.ts';
import { createRecorder, type Example } from '../support/api-reference/recorder.ts';
import { playScene } from '../support/api-reference/scene.ts';
import { settleExamples } from '../support/api-reference/settle.ts';
import { withStage } from '../support/api-reference/stage.ts';
import { readDocument } from '../support/http/own-document.ts';

const FOLDER = join(import.meta.dirname, '../../docs/reference/api');

/** The requests of the examples, which the service's OpenAPI document shows. */
const EXAMPLES = join(import.meta.dirname, '../../src/api/contract/examples.json');

function requestsOf(examples: ReadonlyMap<string, Example>): Record<string, unknown> {
  const entries = [...examples].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, { requestBody }]) => [name, requestBody]));
}

/** Sends every example to a service of its own, and returns the requests and answers. */
function recordExamples(document: OpenApiDocument): Promise<Map<string, Example>> {
  return withStage(async ({ url, ...setting }) => {
    const recorder = createRecorder(url, document);
    await playScene({ recorder, ...setting });
    return settleExamples(recorder.examples, setting);
  });
}

test('the service answers the example of every operation as documented, and the pages are current: npm run docs', async () => {
  const document = (await readDocument()) as OpenApiDocument;
  const examples = await recordExamples(document);
  const names = Object.values(document.paths).flatMap(({ post }) => post?.operationId ?? []);
  expect([...examples.keys()].toSorted()).toEqual(names.toSorted());
  await expect(`${JSON.stringify(requestsOf(examples), undefined, 1)}\n`).toMatchFileSnapshot(EXAMPLES);
  const pages = renderApiReference(document, examples);
  for (const [name, text] of pages) await expect(text).toMatchFileSnapshot(join(FOLDER, name));
  expect(globSync('*', { cwd: FOLDER }).filter((name) => !pages.has(name))).toEqual([]);
});
