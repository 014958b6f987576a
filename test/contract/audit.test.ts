/** Every operation that changes something in a workspace is in its audit log. A new operation is covered automatically. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { listContracts } from '../../src/api/contract/contract.ts';
import type { OpenApiDocument } from '../support/api-reference/document.ts';
import { createRecorder, type Recorder } from '../support/api-reference/recorder.ts';
import { playScene } from '../support/api-reference/scene.ts';
import { withStage } from '../support/api-reference/stage.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { readDocument } from '../support/http/own-document.ts';

/** Operations that are recorded nowhere, each with the reason. */
const UNRECORDED: Readonly<Record<string, string>> = {
  export_audit_log: 'only reads',
  list_api_keys: 'only reads',
  list_audit_log: 'only reads',
  'list-members': 'only reads',
  'list-workspace-invitations': 'only reads',
  'link-preview': 'only reads, a page elsewhere',
  'import-plan': 'a dry run here; each campaign that it plans, changes or cancels is recorded',
  'get-invite-link': 'only reads, at the messaging application',
  'sync-groups': 'reads the groups again, and changes nothing that a person chose',
  'open-workspace': 'changes what the person sees first, and nothing of the workspace',
  'submit-passkey': 'continues the link that `connect-account` began and recorded',
};

const changing = listContracts()
  .filter(({ access, role }) => access !== 'open' && access !== 'read' && role !== 'none')
  .map(({ path, operationId }) => operationId ?? path.split('/').at(-1) ?? '');

/** The actions that were recorded while an operation ran, by its name. */
const recorded = new Map<string, string[]>();
let texts: string[];

/** Adds to `recorded` what each operation writes into the audit log. */
function watch(recorder: Recorder, db: Database): Recorder {
  const watched =
    (send: Recorder['send']): Recorder['send'] =>
    async (name, ...rest) => {
      const { rows: before } = await sql<{ last: number }>`
        select coalesce(max(entry_id), 0) as last from audit_log`.execute(db);
      const data = await send(name, ...rest);
      const { rows } = await sql<{ action: string }>`
        select action from audit_log where entry_id > ${before[0]?.last ?? 0}`.execute(db);
      recorded.set(name, [...(recorded.get(name) ?? []), ...rows.map(({ action }) => action)]);
      return data;
    };
  return { ...recorder, send: watched(recorder.send), poll: watched(recorder.poll) };
}

beforeAll(async () => {
  const document = (await readDocument()) as OpenApiDocument;
  await withStage(async ({ url, ...setting }) => {
    await playScene({ recorder: watch(createRecorder(url, document), setting.db), ...setting });
    const { rows } = await sql<{ text: string }>`select to_jsonb(a)::text as text from audit_log a`.execute(setting.db);
    texts = rows.map(({ text }) => text);
  });
});

test('has operations to try', () => {
  expect(changing.length).toBeGreaterThan(40);
  expect([...recorded.keys()]).toEqual(expect.arrayContaining(changing));
});

test.each(changing.filter((name) => !(name in UNRECORDED)))('%s is recorded', (name) => {
  expect(recorded.get(name)?.length).toBeGreaterThan(0);
});

test.each(Object.entries(UNRECORDED))('%s is not: it %s', (name) => {
  expect(recorded.get(name)).toEqual([]);
});

test('no exception is about an operation that is gone', () => {
  expect(changing).toEqual(expect.arrayContaining(Object.keys(UNRECORDED)));
});

test('no entry has a secret', () => {
  // Passwords of the scene, keys, tokens, codes and the secrets of webhooks.
  expect(texts.filter((text) => /a bell in every|two bells in|cmp_\w{10}|whsec_|eyJ/.test(text))).toEqual([]);
});
