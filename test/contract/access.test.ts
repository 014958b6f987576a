/** Access control of every operation in `/openapi.json`; a new operation is covered automatically. */
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineOperations } from '../../src/api/contract/define-operations.ts';
import { AppError } from '../../src/platform/errors/errors.ts';
import { implement, type Operation } from '../../src/api/operation.ts';
import { findLeaks, ownedFields, ownView, sendTo, type Ids, type Party } from '../support/http/access.ts';
import { startTestApp, type Person } from '../support/app.ts';
import { createKeys } from '../support/api-keys.ts';
import { createOwnedResources, inventIds } from '../support/http/owned-resources.ts';
import { createTestDatabase } from '../support/database.ts';
import { worthlessAuthorizations, type ApiKeys } from '../support/inputs/forged-tokens.ts';
import { operationsOf, readOperations } from '../support/http/openapi.ts';
import { readDocument } from '../support/http/own-document.ts';
import { person } from '../support/people.ts';
import { parseAnswer, rawConnection } from '../support/http/raw.ts';
import { startTestServer } from '../support/http/server.ts';

const SECRET = 'the secret of this file, long enough for anything';
const app = await startTestApp({ jwtSecret: SECRET });
afterAll(() => app.stop());
const operations = await readOperations(app.url);
const bearer = operations.filter((operation) => operation.isBearer);
const owning = bearer.filter((operation) => ownedFields(operation).length > 0);

let alice: Person;
let mallory: Person;
let revoked: string;
let keys: ApiKeys;
beforeAll(async () => {
  alice = await app.signUp('alice');
  mallory = await app.signUp('mallory');
  const eve = await app.signUp('eve');
  await eve.call('user/revoke_tokens');
  revoked = eve.token;
  keys = await createKeys(app, mallory);
});

test('requires a token for every operation but sign-up, sign-in and those with a code from a mail or a link', () => {
  const open = operations.filter((operation) => !operation.isBearer).map(({ path }) => path);
  expect(open).toEqual([
    ...[
      'create_user',
      'authorize_user',
      'verify_email',
      'accept_invite',
      'request_password_reset',
      'reset_password',
    ].map((name) => `/api/v1/user/${name}`),
    '/api/v1/workspace/get-invitation',
    '/api/v1/analytics/get-shared-report',
  ]);
  expect(bearer.length).toBeGreaterThan(15);
  expect(owning.length).toBeGreaterThan(7);
});

/** Announces a body, sends none, and returns the answer. */
async function askWithoutBody(path: string, authorization: string | undefined) {
  const raw = rawConnection(app.url);
  const header = authorization === undefined ? '' : `authorization: ${authorization}\r\n`;
  raw.send(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${header}content-length: 5000\r\n\r\n`,
  );
  const text = await raw.received((all) => all.includes('request_id'));
  raw.socket.destroy();
  return parseAnswer(text);
}

describe('rejects an invalid token before reading the body', () => {
  test.each(bearer.map(({ path }) => path))('by %s', async (path) => {
    const secrets = { secret: SECRET, revoked, otherUserId: alice.userId, keys };
    const worthless = worthlessAuthorizations(mallory.token, secrets);
    await Promise.all(
      worthless.map(async ([what, authorization]) => {
        const answer = await askWithoutBody(path, authorization);
        expect(answer.status, what).toBe(401);
        expect(answer.headers.get('www-authenticate'), what).toBe('Bearer');
        expect(answer.body, what).toEqual({
          error: true,
          status: 'error',
          code: 401,
          error_code: expect.stringMatching(/^(token_missing|token_invalid|token_revoked|api_key_invalid)$/),
          message: expect.any(String),
          details: [],
          data: null,
          request_id: answer.headers.get('x-request-id'),
        });
      }),
    );
    for (const authorization of [`Bearer ${mallory.token}`, `bEARER  ${mallory.token} `]) {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body: 'no JSON' });
      expect(answer.status, 'a token that holds').toBe(400);
    }
  });
});

describe('IDOR: ids of another user are answered like unknown ids and change nothing', () => {
  let victim: Party;
  let outsider: Party;
  let never: Ids;
  let before: unknown;
  beforeAll(async () => {
    const fields = new Set(owning.flatMap(ownedFields));
    victim = { token: alice.token, ids: await createOwnedResources(alice, fields) };
    outsider = { token: mallory.token, ids: await createOwnedResources(mallory, fields) };
    never = inventIds(victim.ids);
    before = await look(victim);
  });

  const send = sendTo(app.url);
  const look = (party: Party) => ownView(bearer, send, party);

  // The owner's view takes dozens of requests: it is compared once, after all operations have been tried.
  const unseen = { look: () => Promise.resolve(undefined), seen: {} };
  test.each(owning.map((operation) => [operation.path, operation] as const))('by %s', async (_path, operation) => {
    expect(await findLeaks(operation, { send, outsider, victim, never, ...unseen })).toEqual([]);
  });

  test('with an API key, too', async () => {
    const asked = { send, outsider: { ...outsider, token: keys.valid }, victim, never, ...unseen };
    for (const operation of owning.filter(({ takesKeys }) => takesKeys))
      expect(await findLeaks(operation, asked)).toEqual([]);
  });

  test('and what the owner sees has not changed', async () => {
    expect(await look(victim)).toEqual(before);
  });

  test('and the owner sees the resources, so the ids are valid', async () => {
    expect(JSON.stringify(await look(victim))).toContain(victim.ids['campaign_id']);
  });
});

const NOTES = defineOperations('Sandbox', {
  add: {
    path: '/api/v1/probe/add',
    access: 'send',
    role: 'author',
    summary: 'Adds a note',
    data: z.object({ note_id: z.number() }),
    errors: ['draft_not_found'],
  },
  getNote: {
    path: '/api/v1/probe/get_note',
    access: 'send',
    role: 'author',
    summary: 'Reads a note',
    body: z.object({ note_id: z.int() }),
    data: z.object({ text: z.string() }),
    errors: ['draft_not_found'],
  },
  change: {
    path: '/api/v1/probe/change',
    access: 'send',
    role: 'author',
    summary: 'Changes a note',
    body: z.object({ note_id: z.int() }),
    errors: ['draft_not_found'],
  },
});

/** Operations on notes, with the leak that `leak` names. */
function noteOperations(leak: 'none' | 'reads' | 'writes' | 'tells'): Operation[] {
  const owners = new Map<number, number>();
  const texts = new Map<number, string>();
  return implement<typeof NOTES, undefined>(
    NOTES,
    {
      async add(_deps, { caller }) {
        const noteId = 101 + owners.size;
        owners.set(noteId, caller.userId);
        return { noteId };
      },
      async getNote(_deps, { body, caller }) {
        const isOwn = owners.get(body.noteId) === caller.userId;
        if (!isOwn && leak !== 'reads') throw new AppError('draft_not_found', 'No such note');
        return { text: texts.get(body.noteId) ?? '' };
      },
      async change(_deps, { body, caller }) {
        const isOwn = owners.get(body.noteId) === caller.userId;
        if (isOwn || leak === 'writes') texts.set(body.noteId, 'changed');
        if (leak === 'tells' && owners.has(body.noteId) && !isOwn)
          throw new AppError('draft_not_found', 'Not your note');
        if (!isOwn) throw new AppError('draft_not_found', 'No such note');
        return {};
      },
    },
    undefined,
  );
}

describe('the check for IDOR', () => {
  test.each([
    ['none', []],
    ['reads', [/get_note answers 200/]],
    ['writes', [/change changes what is another's/]],
    ['tells', [/change tells another's note_id from what never was/]],
  ] as const)('finds operations that leak: %s', async (leak, expected) => {
    const database = await createTestDatabase();
    const notes = noteOperations(leak);
    const server = await startTestServer({ db: database.db, operations: notes });
    const found = operationsOf(await readDocument(notes));
    const send = sendTo(server.url);
    const party = async (name: string): Promise<Party> => {
      const { token } = await person(server, name);
      const added = (await send('/api/v1/probe/add', {}, token)).body as { data: Ids };
      return { token, ids: added.data };
    };
    const [victim, outsider] = [await party('alice'), await party('mallory')];
    const tried = { send, outsider, victim, never: { note_id: 999 }, look: (one: Party) => ownView(found, send, one) };
    const leaks: string[] = [];
    const seen = {};
    for (const operation of found) leaks.push(...(await findLeaks(operation, { ...tried, seen })));
    await server.close();
    await database.drop();
    for (const pattern of expected) expect(leaks.join('\n')).toMatch(pattern);
    expect(leaks.length > 0).toBe(expected.length > 0);
  });
});
