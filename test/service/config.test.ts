import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig, type Environment } from '../../src/config.ts';
import { StartupError } from '../../src/lib/errors.ts';
import { loadSecrets } from '../../src/secrets.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'campanile-config-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const SECRET = 'x'.repeat(32);
const KEY = 'ab'.repeat(32);
const HOME = { XDG_STATE_HOME: '/var/lib/state' };

function problemsOf(environment: Environment): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof StartupError) return error.message.split('\n');
    throw error;
  }
  return [];
}

test('nothing has to be set', () => {
  const config = readConfig(HOME);
  expect(config).toEqual({
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: undefined,
    dataDir: resolve('data'),
    stateDir: '/var/lib/state/campanile',
    role: 'all',
    messenger: 'sandbox',
    jwtSecret: undefined,
    encryptionKey: undefined,
    encryptionKeyPrevious: undefined,
    timeZone: 'UTC',
    signUp: 'open',
    rateLimit: undefined,
    logLevel: 'info',
    publicUrl: undefined,
    corsOrigins: [],
    metricsToken: undefined,
    whatsappGap: { minMs: 5000, maxMs: 15000 },
    whatsappVersion: undefined,
    whatsappUrl: undefined,
    whatsappRootKey: undefined,
    whatsappCertificate: 'log',
    whatsappCa: undefined,
    whatsappQueryIds: {},
    sandboxGap: { minMs: 0, maxMs: 0 },
    retentionDays: 400,
    sandboxSpeed: 1,
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test('everything can be set, and what is empty is not', async () => {
  const certificates = join(folder, 'ca.pem');
  await writeFile(certificates, '-----BEGIN CERTIFICATE-----\n');
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '0',
    DATABASE_URL: 'postgres://u:p@db/campanile',
    DATA_DIR: '/srv/data',
    STATE_DIR: '/srv/state',
    ROLE: 'worker',
    MESSENGER: 'whatsapp',
    JWT_SECRET: SECRET,
    ENCRYPTION_KEY_PREVIOUS: 'cd'.repeat(32),
    WHATSAPP_VERSION: '2.3000.1043857760',
    WHATSAPP_URL: 'ws://127.0.0.1:4000/ws/chat',
    WHATSAPP_ROOT_KEY: 'ef'.repeat(32),
    WHATSAPP_CERTIFICATE: 'enforce',
    WHATSAPP_CA_FILE: certificates,
    ENCRYPTION_KEY: Buffer.from(KEY, 'hex').toString('base64'),
    TIME_ZONE: 'Europe/Berlin',
    SIGNUP: 'closed',
    RATE_LIMIT: '600',
    LOG_LEVEL: 'debug',
    PUBLIC_URL: 'https://campanile.example/',
    CORS_ORIGINS: 'https://a.example, http://localhost:5173',
    METRICS_TOKEN: 'see',
    WHATSAPP_GAP_MS: '1000-1000',
    WHATSAPP_QUERY_IDS: 'create=11111, list=22222',
    SANDBOX_GAP_MS: '',
    SANDBOX_SPEED: '2.5',
  });
  expect(config).toMatchObject({
    port: 0,
    role: 'worker',
    encryptionKey: Buffer.from(KEY, 'hex'),
    publicUrl: 'https://campanile.example',
    corsOrigins: ['https://a.example', 'http://localhost:5173'],
    whatsappVersion: [2, 3000, 1_043_857_760],
    whatsappGap: { minMs: 1000, maxMs: 1000 },
    whatsappQueryIds: { create: '11111', list: '22222' },
    sandboxGap: { minMs: 0, maxMs: 0 },
    sandboxSpeed: 2.5,
  });
});

test('all that is wrong is told at once, a line each', () => {
  const problems = problemsOf({
    PORT: '70000',
    DATABASE_URL: 'mysql://x',
    DATA_DIR: '/srv/data',
    STATE_DIR: '/srv/data/state',
    ROLE: 'boss',
    MESSENGER: 'pigeon',
    JWT_SECRET: 'short',
    ENCRYPTION_KEY: 'abc',
    TIME_ZONE: '+02:00',
    SIGNUP: 'invite',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'campanile.example',
    CORS_ORIGINS: '*',
    WHATSAPP_GAP_MS: '6000-2000',
    SANDBOX_SPEED: '-1',
    ENCRYPTION_KEY_PREVIOUS: 'abc',
    WHATSAPP_VERSION: '2.3000',
    WHATSAPP_URL: 'https://127.0.0.1:1',
    WHATSAPP_ROOT_KEY: 'ab',
    WHATSAPP_CERTIFICATE: 'ignore',
    WHATSAPP_CA_FILE: '/x',
    WHATSAPP_QUERY_IDS: 'create=11111,follow=22222',
  });
  expect(problems.map((line) => line.split(/[ =]/, 1)[0]).toSorted()).toEqual(
    [
      'PORT',
      'DATABASE_URL',
      'STATE_DIR',
      'ROLE',
      'MESSENGER',
      'JWT_SECRET',
      'ENCRYPTION_KEY',
      'TIME_ZONE',
      'SIGNUP',
      'RATE_LIMIT',
      'LOG_LEVEL',
      'PUBLIC_URL',
      'CORS_ORIGINS',
      'WHATSAPP_GAP_MS',
      'SANDBOX_SPEED',
      'ENCRYPTION_KEY_PREVIOUS',
      'WHATSAPP_VERSION',
      'WHATSAPP_URL',
      'WHATSAPP_ROOT_KEY',
      'WHATSAPP_CERTIFICATE',
      'WHATSAPP_CA_FILE',
      'WHATSAPP_QUERY_IDS',
    ].toSorted(),
  );
  expect(problems).toContain('MESSENGER must be sandbox or whatsapp');
  expect(problems).toContain('PORT must be a whole number from 0 to 65535');
  expect(problems.join()).not.toContain('mysql://x');
});

test('keys and servers that make no sense together are told', () => {
  expect(problemsOf({ ...HOME, ENCRYPTION_KEY: KEY, ENCRYPTION_KEY_PREVIOUS: KEY })).toHaveLength(1);
  expect(problemsOf({ ...HOME, WHATSAPP_ROOT_KEY: KEY })).toEqual([expect.stringContaining('needs WHATSAPP_URL')]);
});

test('processes of one role need what they share', () => {
  expect(problemsOf({ ...HOME, ROLE: 'api' })).toEqual([expect.stringContaining('ROLE=api needs DATABASE_URL')]);
  const problems = problemsOf({ ...HOME, ROLE: 'worker', DATABASE_URL: 'postgres://db/x' });
  expect(problems).toEqual([expect.stringContaining('JWT_SECRET'), expect.stringContaining('ENCRYPTION_KEY')]);
  expect(problemsOf({ ...HOME, DATABASE_URL: 'postgres://db/x' })).toEqual([]);
});

test('secrets can come from files', async () => {
  const file = join(folder, 'secret');
  await writeFile(file, `${SECRET}\n`);
  expect(readConfig({ ...HOME, JWT_SECRET_FILE: file }).jwtSecret).toBe(SECRET);
  expect(problemsOf({ ...HOME, METRICS_TOKEN_FILE: join(folder, 'nothing') })).toEqual([
    'METRICS_TOKEN_FILE must name a file that can be read (ENOENT)',
  ]);
  expect(problemsOf({ ...HOME, JWT_SECRET: SECRET, JWT_SECRET_FILE: file })).toHaveLength(1);
  await writeFile(file, 'short');
  expect(problemsOf({ ...HOME, JWT_SECRET_FILE: file })).toEqual(['JWT_SECRET must be at least 32 characters']);
});

test('missing secrets are made once, for nobody else to read', async () => {
  const dataDir = join(folder, 'fresh', 'data');
  const wanted = { dataDir, jwtSecret: undefined, encryptionKey: undefined };
  const made = await Promise.all(Array.from({ length: 5 }, () => loadSecrets(wanted)));
  const again = await loadSecrets(wanted);
  expect(again.encryptionKey).toHaveLength(32);
  for (const secrets of made) expect(secrets).toEqual(again);
  expect((await readdir(dataDir)).toSorted()).toEqual(['encryption-key', 'jwt-secret']);
  const modes = await Promise.all([dataDir, join(dataDir, 'jwt-secret')].map((path) => stat(path)));
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  const configured = await loadSecrets({ dataDir, jwtSecret: SECRET, encryptionKey: Buffer.alloc(32) });
  expect(configured).toEqual({ jwtSecret: SECRET, encryptionKey: Buffer.alloc(32) });
});

test('a secret that cannot be used is one clear sentence, and is never replaced', async () => {
  const dataDir = join(folder, 'damaged');
  const wanted = { dataDir, jwtSecret: undefined, encryptionKey: undefined };
  await loadSecrets(wanted);
  const file = join(dataDir, 'encryption-key');
  await writeFile(file, 'half a k');
  await expect(loadSecrets(wanted)).rejects.toThrow(/encryption-key is damaged/);
  expect(await readFile(file, 'utf8')).toBe('half a k');
  await writeFile(join(folder, 'a-file'), '');
  const impossible = loadSecrets({ ...wanted, dataDir: join(folder, 'a-file', 'data') });
  await expect(impossible).rejects.toBeInstanceOf(StartupError);
});
