import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startApp, type App } from '../../src/app/app.ts';
import { readConfig, type Config } from '../../src/platform/config/config.ts';
import type { HttpLimits } from '../../src/api/server/server.ts';
import type { UserId } from '../../src/platform/database/schema.ts';
import { createLog, type Log } from '../../src/platform/log/log.ts';
import type { WhatsAppOptions } from '../../src/messengers/whatsapp/whatsapp.ts';
import { BUILD_FOLDER } from '../../web/freshness.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { checkAnswers } from './http/check-answers.ts';
import { until } from './ledger.ts';

/** An HTTP answer. The caller gives the type of `data`. */
export interface Answer<Data = Record<string, never>> {
  status: number;
  headers: Headers;
  body: {
    error: boolean;
    status: string;
    code: number;
    data: Data;
    message?: string;
    details?: Array<{ field: string; issue: string }>;
  };
}

export type Call = <Data = Record<string, never>>(path: string, body?: unknown) => Promise<Answer<Data>>;

/** A signed-up user with a token. */
export interface Person {
  name: string;
  userId: UserId;
  token: string;
  call: Call;
}

/** Resolves to the ids of the groups of a person: at first the three of the sandbox. */
export async function groupsOf(person: Pick<Person, 'call'>): Promise<number[]> {
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  return body.data.groups.map((group) => group.group_metadata_id);
}

/** Waits until all posts of a campaign have been sent. */
export async function untilCompleted(call: Call, campaign_id: unknown): Promise<void> {
  const read = () => call<{ status: string }>('venom/get-campaign', { campaign_id });
  await until(async () => (await read()).body.data.status, 'completed');
}

/** The whole service in this process, over real HTTP and a real database of its own. */
export interface TestApp {
  url: string;
  database: TestDatabase;
  call(path: string, body?: unknown, token?: string): Promise<Answer>;
  /** `whatsappNumber` defaults to the same number for every user. */
  signUp(name: string, whatsappNumber?: string): Promise<Person>;
  /** Signs in a user who has signed up before, also at another app on the same database. */
  signIn(name: string): Promise<Person>;
  stop(): Promise<void>;
}

export const PASSWORD = 'correct horse battery';

/** Nothing listens there: a test of WhatsApp starts a peer. */
const NOWHERE = 'ws://127.0.0.1:9/';
const WHATSAPP_TIMING = {
  firstPauseMs: 50,
  longestPauseMs: 500,
  // Only tests that lose answers on purpose wait for this.
  answerMs: 15_000,
  lateAckMs: 3_000,
  cooldownMs: 1_000,
  leaveMs: 1_000,
  fileWaitMs: 500,
  fileRetryMs: 200,
  firstPollMs: 300,
  pollGapMs: 100,
};

/** Starts an app. `shared` is the database of another app, which outlives this one. */
export async function startTestApp(
  overrides: Partial<Config> = {},
  shared?: TestDatabase,
  log: Log = createLog('fatal'),
  timing: WhatsAppOptions['timing'] = {},
  httpLimits: Partial<HttpLimits> = {},
): Promise<TestApp> {
  const database = shared ?? (await createTestDatabase());
  if ('url' in database.address) throw new Error('tests need a server on a Unix socket');
  const { socketFolder, port, user, database: name } = database.address;
  const folder = await mkdtemp(join(tmpdir(), 'campanile-app-'));
  const config: Config = {
    ...readConfig({ PORT: '0', DATA_DIR: join(folder, 'data'), STATE_DIR: database.stateDir }),
    jwtSecret: 'the secret that all apps of a test share',
    encryptionKey: Buffer.alloc(32, 7),
    databaseUrl: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(socketFolder)}`,
    sandboxSpeed: 20,
    whatsappUrl: NOWHERE,
    ...overrides,
  };
  const app: App = await startApp(config, log, {
    wrapOperation: checkAnswers,
    whatsappTiming: { ...WHATSAPP_TIMING, ...timing },
    httpLimits,
    // The run has built the dashboard. If its sources changed meanwhile, each app would rebuild it.
    dashboardFolder: BUILD_FOLDER,
  });
  const url = app.url ?? '';
  const call = (path: string, body: unknown = {}, token?: string) => post(url, path, body, token);
  return {
    url,
    database,
    call,
    signUp: (name, whatsappNumber) => signUp(call, name, whatsappNumber),
    signIn: (name) => signIn(call, name),
    async stop() {
      await app.stop();
      if (!shared) await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `startTestApp` at the beginning of a test file, for all of its tests: stops the app after them. */
export async function useTestApp(...options: Parameters<typeof startTestApp>): Promise<TestApp> {
  const app = await startTestApp(...options);
  afterAll(() => app.stop());
  return app;
}

/** Sends one operation as JSON. */
export async function post(url: string, path: string, body: unknown, token?: string): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

async function signUp(call: TestApp['call'], name: string, whatsappNumber = '+49 (151) 1234567'): Promise<Person> {
  await call('user/create_user', {
    first_name: name,
    last_name: '',
    user_name: name,
    email: `${name}@example.com`,
    phone_number: '+49 151 1234567',
    whatsapp_number: whatsappNumber,
    password: PASSWORD,
  });
  return signIn(call, name);
}

async function signIn(call: TestApp['call'], name: string): Promise<Person> {
  const answer = await call('user/authorize_user', { user_name: name, password: PASSWORD });
  const { token, user_info } = answer.body.data as unknown as { token: string; user_info: { user_id: UserId } };
  // The type is that of the contract; tests that use the data would fail otherwise.
  return { name, userId: user_info.user_id, token, call: ((path, body) => call(path, body, token)) as Call };
}
