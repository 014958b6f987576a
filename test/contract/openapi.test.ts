/** The API does not change by accident: its document is compared with the one that was committed. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDocument } from '../support/http/own-document.ts';
import { DOCUMENT_FILE } from '../../src/api/server/serve-document.ts';
import { createDocument } from '../../scripts/openapi/create-document.ts';

test('the committed OpenAPI document is that of the declarations; `npm run openapi` rewrites it after an intended change', async () => {
  const committed: unknown = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8'));
  expect(JSON.parse(JSON.stringify(await createDocument()))).toEqual(committed);
});

/**
 * 250 KiB for the operations of 0.1.0, and 250 bytes each for what a post may have beside its text and file, which seven of them take, and for
 * the account that they are about.
 */
const BYTES_PER_OPERATION = 3_200;

test('the OpenAPI document stays small, since generators and readers load all of it', async () => {
  const document = (await readDocument()) as { paths: object };
  const operations = Object.keys(document.paths).length;
  expect(Buffer.byteLength(JSON.stringify(document)) / operations).toBeLessThan(BYTES_PER_OPERATION);
});

test('every operation has an example of its request and of its answer', async () => {
  type Media = Record<string, { example?: unknown }>;
  const { paths, components } = (await readDocument()) as {
    paths: Record<
      string,
      { post?: { requestBody: { content: Media }; responses: { 200: { content?: Media; $ref?: string } } } }
    >;
    components: { responses: Record<string, { content: Media }> };
  };
  for (const [path, { post }] of Object.entries(paths)) {
    if (!post) continue;
    const { content, $ref = '' } = post.responses[200];
    const answer = content ?? components.responses[$ref.replace('#/components/responses/', '')]?.content ?? {};
    for (const media of [...Object.values(post.requestBody.content), ...Object.values(answer)])
      expect(media.example, path).toBeDefined();
  }
});
