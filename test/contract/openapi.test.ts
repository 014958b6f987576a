/** The API does not change by accident: its document is compared with the one that was committed. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPENAPI_FIXTURE, readDocumentStructure } from '../support/http/document-structure.ts';

test('the OpenAPI document has the committed structure; `npm run openapi` rewrites it after an intended change', async () => {
  const committed: unknown = JSON.parse(readFileSync(OPENAPI_FIXTURE, 'utf8'));
  expect(await readDocumentStructure()).toEqual(committed);
});
