import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { invalidBodyOf, validBodyOf } from '../../harness/bench/support/flood-bodies.ts';
import { createFlooder, prepareFlood, type Flooder } from '../../harness/bench/support/flooder.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { ownedFields } from '../support/http/access.ts';
import { operationsOf } from '../support/http/openapi.ts';
import { readDocument } from '../support/http/own-document.ts';

/** Ids of the forms in the document. */
const idOf = (field: string) =>
  field === 'sha256'
    ? 'a'.repeat(64)
    : /^((sent_|poll_)?campaign|draft|template|approval|webhook|message|session)_id$/.test(field)
      ? crypto.randomUUID()
      : field.endsWith('s')
        ? [1]
        : 1;

const operations = operationsOf(await readDocument());
const fields = [...operations.flatMap(ownedFields), 'sent_campaign_id', 'poll_campaign_id', 'film_id'];
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

test('an operation that takes a list of groups gets 60,000 wrong ones in the invalid body', () => {
  const taking = operations.filter(({ example }) => JSON.stringify(example).includes('group_metadata_ids'));
  expect(taking.map(({ name }) => name)).toContain('check-campaign');
  for (const operation of taking) {
    const invalid = JSON.parse(String(invalidBodyOf(operation, validBodyOf(operation, sender)))) as Record<
      string,
      unknown
    >;
    expect(invalid['group_metadata_ids'], operation.name).toHaveLength(60_000);
  }
});

describe('the valid bodies of one person', () => {
  let app: TestApp;
  let flooder: Flooder;
  beforeAll(async () => {
    app = await startTestApp({ sandboxSpeed: 0 });
    flooder = await createFlooder(app.url, { name: 'flooder', address: '203.0.113.1', operations, workspaces: 2 });
  });
  afterAll(() => app.stop());

  /** Their code is of a mail or an app, their link is of a server elsewhere, or their password is wrong on purpose. */
  const REFUSED = [
    'accept-invitation',
    'accept_invite',
    'confirm_totp',
    'delete_account',
    'get-invitation',
    'import',
    'reset_password',
    'verify_email',
  ];

  async function send(name: string) {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no ${name}`);
    const { url, requests } = await prepareFlood(operation, { kind: 'valid', flooder, workspaces: 1, inFlight: 1 });
    const [{ headers, body } = { headers: {}, body: '' }] = requests;
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return { status: answer.status, text: await answer.text() };
  }

  test('are accepted as far as one can know, and take nothing that the others need', async () => {
    expect(flooder.workspaces).toHaveLength(2);
    const refused: string[] = [];
    for (const { name } of operations) {
      const { status, text } = await send(name);
      expect([200, 400, 404, 409], `${name}: ${text}`).toContain(status);
      if (status === 400) refused.push(name);
    }
    expect(refused.toSorted()).toEqual(REFUSED);
    for (const name of [
      'get_profile',
      'get-campaign',
      'get-webhook',
      'get-approval',
      'get-media',
      'list-messages',
      'get-shared-report',
      'get-poll-results',
    ])
      expect((await send(name)).status, name).toBe(200);
  });
});
