import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { invalidBodyOf, validBodyOf } from '../../bench/support/flood-bodies.ts';
import { ownedFields } from '../support/http/access.ts';
import { operationsOf } from '../support/http/openapi.ts';
import { readDocument } from '../support/http/own-document.ts';

/** Ids of the forms in the document. */
const idOf = (field: string) =>
  field === 'sha256'
    ? 'a'.repeat(64)
    : /^(campaign|draft|approval|webhook|message|session)_id$/.test(field)
      ? crypto.randomUUID()
      : field.endsWith('s')
        ? [1]
        : 1;

const operations = operationsOf(await readDocument());
const fields = [...new Set(operations.flatMap(ownedFields))];
const sender = {
  name: 'flooder',
  password: 'correct horse battery',
  ids: Object.fromEntries(fields.map((field) => [field, idOf(field)])),
};

/** Whether an issue is of a pattern for which JSON Schema knows no flag `u`. */
const isUnicodePattern = (issue: object) => 'pattern' in issue && String(issue.pattern).includes('\\p{');

describe('the bench of abuse has a valid and an invalid body for', () => {
  test.each(operations.map((operation) => [operation.path, operation] as const))('%s', (_path, operation) => {
    const valid = validBodyOf(operation, sender);
    const invalid = invalidBodyOf(operation, valid);
    if (typeof valid !== 'string' || typeof invalid !== 'string') return;
    const schema = z.fromJSONSchema(operation.body as Parameters<typeof z.fromJSONSchema>[0]);
    const issues = schema.safeParse(JSON.parse(valid)).error?.issues ?? [];
    expect(issues.filter((issue) => !isUnicodePattern(issue))).toEqual([]);
    expect(schema.safeParse(JSON.parse(invalid)).success).toBe(false);
  });
});
