import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import { StartupError } from '../../src/platform/errors/errors.ts';
import { ENCRYPTION_KEY_FILE, JWT_SECRET_FILE, storeSecret } from '../../src/platform/secrets/secret-files.ts';

const folder = await mkdtemp(join(tmpdir(), 'campanile-config-'));
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

test.each([
  ['IST', '; did you mean Asia/Kolkata, Europe/Dublin or Asia/Jerusalem?'],
  ['Europe/Berln', '; did you mean Europe/Berlin?'],
  ['US/Pacific-New', '; did you mean America/Los_Angeles?'],
  ['+02:00', ', not an offset, which has no clock changes'],
  ['Mars/Olympus', ''],
])('rejects TIME_ZONE=%s with a suggestion', (zone, ending) => {
  expect(problemsOf({ TIME_ZONE: zone })).toEqual([
    `TIME_ZONE must be an IANA time zone such as Europe/Berlin${ending}`,
  ]);
});

test('accepts TIME_ZONE in any letter case', () => {
  expect(readConfig({ ...HOME, TIME_ZONE: 'europe/berlin' }).timeZone).toBe('Europe/Berlin');
});

test('requires no variable', () => {
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
    jwtSecretPrevious: undefined,
    encryptionKey: undefined,
    encryptionKeyPrevious: undefined,
    timeZone: 'UTC',
    signUp: 'open',
    rateLimit: undefined,
    logLevel: 'info',
    publicUrl: undefined,
    trustedProxies: [],
    corsOrigins: [],
    misspelled: [],
    metricsToken: undefined,
    accessLog: false,
    publicDocs: false,
    whatsappGap: { minMs: 5000, maxMs: 15000 },
    whatsappWarmUpGap: { minMs: 20_000, maxMs: 60_000 },
    whatsappRestAfterLinkMs: 30 * 60_000,
    whatsappProxies: [],
    whatsappVersion: undefined,
    whatsappUrl: undefined,
    whatsappRootKey: undefined,
    whatsappCertificate: 'log',
    whatsappCa: undefined,
    whatsappQueryIds: {},
    sandboxGap: { minMs: 0, maxMs: 0 },
    retentionDays: 400,
    quotas: { storedBytes: 2 * 1024 ** 3, openCampaigns: 10_000, groupsPerDay: { whatsapp: 100 }, accounts: 10 },
    ownedWorkspaces: 5,
    mediaDays: 90,
    diskFloorBytes: undefined,
    previewRateLimit: 600,
    backup: undefined,
    backUpBeforeUpgrade: true,
    isTimeZoneSet: false,
    egress: { allowHttp: false, allowed: expect.anything(), proxy: {} },
    linkPreviews: { isEnabled: true, allowed: expect.anything(), proxy: {}, fetchMs: 3_000 },
    sandboxSpeed: 1,
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test.each(['DATABASE_URL', 'ENCRYPTION_KEY', 'METRICS_TOKEN'])(
  'rejects %s_FILE that names an empty file',
  async (name) => {
    const file = join(folder, 'empty');
    await writeFile(file, '\n');
    expect(() => readConfig({ [`${name}_FILE`]: file })).toThrow(`${name}_FILE names an empty file`);
  },
);

test('reads every variable, and treats an empty one as unset', async () => {
  const certificates = join(folder, 'ca.pem');
  await writeFile(certificates, '-----BEGIN CERTIFICATE-----\n');
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '0',
    DATABASE_URL: 'postgres://u:p@db/campanile',
    DATABASE_LISTEN_URL: 'postgres://u:p@db:5433/campanile',
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
    TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8::1',
    CORS_ORIGINS: 'https://a.example, http://localhost:5173',
    METRICS_TOKEN: 'see',
    ACCESS_LOG: 'true',
    PUBLIC_DOCS: 'true',
    WHATSAPP_GAP_MS: '1000-1000',
    WHATSAPP_WARM_UP_GAP_MS: '2000-3000',
    WHATSAPP_REST_AFTER_LINK_MINUTES: '5',
    WHATSAPP_PROXIES: 'socks5://ann:secret@one.example:1080, http://two.example:8080',
    WHATSAPP_QUERY_IDS: 'create=11111, list=22222',
    SANDBOX_GAP_MS: '',
    SANDBOX_SPEED: '2.5',
    QUOTA_STORED_MB: '1',
    QUOTA_CAMPAIGNS: '2',
    QUOTA_ACCOUNTS: '200',
    QUOTA_WORKSPACES: '3',
    QUOTA_GROUPS_PER_DAY: '0',
    MEDIA_RETENTION_DAYS: '30',
    DISK_FLOOR_MB: '3',
    PREVIEW_RATE_LIMIT: '4',
  });
  expect(config).toMatchObject({
    port: 0,
    role: 'worker',
    encryptionKey: Buffer.from(KEY, 'hex'),
    publicUrl: 'https://campanile.example',
    trustedProxies: ['loopback', '10.0.0.0/8', '2001:db8::1'],
    corsOrigins: ['https://a.example', 'http://localhost:5173'],
    whatsappVersion: [2, 3000, 1_043_857_760],
    whatsappGap: { minMs: 1000, maxMs: 1000 },
    whatsappWarmUpGap: { minMs: 2000, maxMs: 3000 },
    whatsappRestAfterLinkMs: 5 * 60_000,
    whatsappProxies: ['socks5://ann:secret@one.example:1080', 'http://two.example:8080'],
    whatsappQueryIds: { create: '11111', list: '22222' },
    sandboxGap: { minMs: 0, maxMs: 0 },
    sandboxSpeed: 2.5,
    quotas: { storedBytes: 1024 ** 2, openCampaigns: 2, groupsPerDay: { whatsapp: 0 }, accounts: 200 },
    ownedWorkspaces: 3,
    mediaDays: 30,
    diskFloorBytes: 3 * 1024 ** 2,
    previewRateLimit: 4,
    accessLog: true,
    publicDocs: true,
  });
});

test.each([
  ['SINGUP', 'SIGNUP'],
  ['TIMEZONE', 'TIME_ZONE'],
  ['DATA_DIRECTORY', undefined],
  ['DATADIR', 'DATA_DIR'],
  ['port', 'PORT'],
  ['PROT', 'PORT'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['JWT_SECRET_FIEL', 'JWT_SECRET_FILE'],
  ['PUBLICURL', 'PUBLIC_URL'],
])('finds that %s may mean %s', (name, meant) => {
  expect(readConfig({ [name]: 'x' }).misspelled).toEqual(meant === undefined ? [] : [{ name, meant }]);
});

test('takes no usual variable for a misspelling', () => {
  const usual =
    'PATH HOME USER LOGNAME SHELL PWD OLDPWD LANG LANGUAGE LC_ALL TERM TZ HOSTNAME HOSTTYPE EDITOR MAIL DISPLAY TMPDIR SHLVL ' +
    'PGHOST PGPORT PGUSER PGDATA PGDATABASE http_proxy https_proxy no_proxy all_proxy ftp_proxy ALL_PROXY FTP_PROXY NODE_ENV ' +
    'NODE_OPTIONS NODE_COMPILE_CACHE INIT_CWD COLOR XDG_STATE_HOME XDG_DATA_HOME STATE_DIRECTORY NOTIFY_SOCKET JOURNAL_STREAM ' +
    'INVOCATION_ID KUBERNETES_PORT KUBERNETES_SERVICE_HOST CAMPANILE_PORT REDIS_HOST SMTP_HOST SMTP_PORT OTEL_SERVICE_NAME';
  const environment = Object.fromEntries([...usual.split(' '), ...Object.keys(process.env)].map((name) => [name, 'x']));
  expect(
    readConfig({ ...environment, no_proxy: 'x', https_proxy: 'http://proxy', http_proxy: 'http://proxy' }).misspelled,
  ).toEqual([]);
});

test('reports no misspelling of a variable that is set', () => {
  expect(readConfig({ SINGUP: 'open', SIGNUP: 'closed' }).misspelled).toEqual([]);
});

test('names a misspelled variable beside an invalid one', () => {
  expect(problemsOf({ ...HOME, PORT: 'abc', SINGUP: 'open' })).toEqual([
    expect.stringMatching(/^PORT must be /),
    'SINGUP is not a setting. Did you mean SIGNUP?',
  ]);
});

test('requires HOST to be an address or a name', () => {
  for (const HOST of ['http://here', 'a b', '1.2.3.4:80'])
    expect(problemsOf({ ...HOME, HOST })).toEqual([
      'HOST must be an address or a name of this machine such as localhost',
    ]);
  for (const HOST of ['::', '0.0.0.0', 'localhost', 'my-machine.lan'])
    expect(problemsOf({ ...HOME, HOST })).toEqual([]);
});

test('reports all problems at once, one per line', () => {
  const problems = problemsOf({
    PORT: '70000',
    DATABASE_URL: 'mysql://x',
    DATA_DIR: '/srv/data',
    STATE_DIR: '/srv/data/state',
    ROLE: 'boss',
    MESSENGER: 'pigeon',
    JWT_SECRET: 'short',
    JWT_SECRET_PREVIOUS: 'short',
    ENCRYPTION_KEY: 'abc',
    TIME_ZONE: '+02:00',
    SIGNUP: 'perhaps',
    SMTP_URL: 'mail.example.com',
    MAIL_FROM: 'a@x, b@x',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'campanile.example',
    TRUSTED_PROXIES: '10.0.0.0/33,0.0.0.0/0',
    CORS_ORIGINS: '*',
    ACCESS_LOG: 'yes',
    PUBLIC_DOCS: '1',
    WHATSAPP_GAP_MS: '6000-2000',
    WHATSAPP_WARM_UP_GAP_MS: 'slow',
    WHATSAPP_REST_AFTER_LINK_MINUTES: '-1',
    WHATSAPP_PROXIES: 'socks5://one.example:1080,ftp://ann:secret@two.example',
    SANDBOX_SPEED: '-1',
    ENCRYPTION_KEY_PREVIOUS: 'abc',
    WHATSAPP_VERSION: '2.3000',
    WHATSAPP_URL: 'https://127.0.0.1:1',
    WHATSAPP_ROOT_KEY: 'ab',
    WHATSAPP_CERTIFICATE: 'ignore',
    WHATSAPP_CA_FILE: '/x',
    WHATSAPP_QUERY_IDS: 'create=11111,follow=22222',
    QUOTA_STORED_MB: '0',
    QUOTA_CAMPAIGNS: 'many',
    QUOTA_ACCOUNTS: '201',
    QUOTA_WORKSPACES: '0',
    QUOTA_GROUPS_PER_DAY: '-1',
    MEDIA_RETENTION_DAYS: '29',
    DISK_FLOOR_MB: '5%',
    PREVIEW_RATE_LIMIT: '0',
    BACKUP_AT: '24:00',
    BACKUP_KEEP: '0',
    BACKUP_PASSPHRASE: 'short',
  });
  expect(problems.map((line) => line.split(/[ =]/, 1)[0]).toSorted()).toEqual(
    [
      'PORT',
      'DATABASE_URL',
      'STATE_DIR',
      'ROLE',
      'MESSENGER',
      'JWT_SECRET',
      'JWT_SECRET_PREVIOUS',
      'ENCRYPTION_KEY',
      'TIME_ZONE',
      'SIGNUP',
      'SMTP_URL',
      'MAIL_FROM',
      'RATE_LIMIT',
      'LOG_LEVEL',
      'PUBLIC_URL',
      'TRUSTED_PROXIES',
      'CORS_ORIGINS',
      'ACCESS_LOG',
      'PUBLIC_DOCS',
      'WHATSAPP_GAP_MS',
      'WHATSAPP_WARM_UP_GAP_MS',
      'WHATSAPP_REST_AFTER_LINK_MINUTES',
      'WHATSAPP_PROXIES',
      'SANDBOX_SPEED',
      'ENCRYPTION_KEY_PREVIOUS',
      'WHATSAPP_VERSION',
      'WHATSAPP_URL',
      'WHATSAPP_ROOT_KEY',
      'WHATSAPP_CERTIFICATE',
      'WHATSAPP_CA_FILE',
      'WHATSAPP_QUERY_IDS',
      'QUOTA_STORED_MB',
      'QUOTA_CAMPAIGNS',
      'QUOTA_ACCOUNTS',
      'QUOTA_WORKSPACES',
      'QUOTA_GROUPS_PER_DAY',
      'MEDIA_RETENTION_DAYS',
      'DISK_FLOOR_MB',
      'PREVIEW_RATE_LIMIT',
      'BACKUP_AT',
      'BACKUP_KEEP',
      'BACKUP_PASSPHRASE',
    ].toSorted(),
  );
  expect(problems).toContain('MESSENGER must be sandbox or whatsapp');
  expect(problems).toContain('PORT must be a whole number from 0 to 65535');
  expect(problems.join()).not.toContain('mysql://x');
  expect(problems.join()).not.toContain('ann:secret');
});

test('accepts a PUBLIC_URL that is a host alone, and names one with a path among the other problems', () => {
  const problem =
    'PUBLIC_URL must be an http:// or https:// URL without a path, such as https://campanile.example: Campanile needs a host name of its own';
  for (const [given, publicUrl] of [
    ['https://campanile.example', 'https://campanile.example'],
    ['https://campanile.example/', 'https://campanile.example'],
    ['HTTPS://Campanile.Example:443', 'https://campanile.example'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ] as const)
    expect(readConfig({ ...HOME, PUBLIC_URL: given }).publicUrl, given).toBe(publicUrl);
  for (const given of [
    'https://example.com/campanile',
    'https://example.com/campanile/',
    'https://example.com//',
    'https://example.com/?a=b',
    'https://example.com/#top',
    'https://ada:secret@example.com',
    'ftp://example.com',
    'campanile.example',
  ])
    expect(problemsOf({ ...HOME, PUBLIC_URL: given, SIGNUP: 'perhaps' }), given).toEqual([
      expect.stringMatching(/^SIGNUP /),
      problem,
    ]);
});

test('SMTP_URL requires MAIL_FROM and PUBLIC_URL', () => {
  const SMTP_URL = 'smtps://campanile:secret@mail.example.com';
  const PUBLIC_URL = 'https://campanile.example';
  const problem = 'SMTP_URL needs MAIL_FROM, and PUBLIC_URL for the links in mails';
  expect(problemsOf({ ...HOME, SMTP_URL })).toEqual([problem]);
  expect(problemsOf({ ...HOME, SMTP_URL, PUBLIC_URL })).toEqual([problem]);
  for (const MAIL_FROM of ['post@campanile.example', 'Campanile <post@campanile.example>'])
    expect(problemsOf({ ...HOME, SMTP_URL, PUBLIC_URL, MAIL_FROM })).toEqual([]);
});

test('rejects contradictory keys and servers', () => {
  expect(problemsOf({ ...HOME, ENCRYPTION_KEY: KEY, ENCRYPTION_KEY_PREVIOUS: KEY })).toHaveLength(1);
  expect(problemsOf({ ...HOME, JWT_SECRET: SECRET, JWT_SECRET_PREVIOUS: SECRET })).toHaveLength(1);
  expect(problemsOf({ ...HOME, WHATSAPP_ROOT_KEY: KEY })).toEqual([expect.stringContaining('needs WHATSAPP_URL')]);
});

test('a process of one role requires the shared database and secrets', () => {
  expect(problemsOf({ ...HOME, ROLE: 'api' })).toEqual([expect.stringContaining('ROLE=api needs DATABASE_URL')]);
  const problems = problemsOf({ ...HOME, ROLE: 'worker', DATABASE_URL: 'postgres://db/x' });
  expect(problems).toEqual([expect.stringContaining('JWT_SECRET'), expect.stringContaining('ENCRYPTION_KEY')]);
  expect(problemsOf({ ...HOME, DATABASE_URL: 'postgres://db/x' })).toEqual([]);
  expect(problemsOf({ ...HOME, DATABASE_LISTEN_URL: 'postgres://db/x' })).toEqual([
    expect.stringContaining('needs DATABASE_URL'),
  ]);
});

test('reads secrets from files', async () => {
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

/** Reads the stored secrets, or creates them. */
const keepSecrets = (dataDir: string) =>
  Promise.all([storeSecret(dataDir, JWT_SECRET_FILE), storeSecret(dataDir, ENCRYPTION_KEY_FILE)]);

test('creates missing secrets once, readable by the owner only', async () => {
  const dataDir = join(folder, 'fresh', 'data');
  const made = await Promise.all(Array.from({ length: 5 }, () => keepSecrets(dataDir)));
  const again = await keepSecrets(dataDir);
  expect(again[1]).toHaveLength(32);
  for (const secrets of made) expect(secrets).toEqual(again);
  expect((await readdir(dataDir)).toSorted()).toEqual(['encryption-key', 'jwt-secret']);
  const modes = await Promise.all([dataDir, join(dataDir, 'jwt-secret')].map((path) => stat(path)));
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
});

test('rejects an unusable secret with an explanation and never replaces it', async () => {
  const dataDir = join(folder, 'damaged');
  await keepSecrets(dataDir);
  const file = join(dataDir, 'encryption-key');
  await writeFile(file, 'half a k');
  await expect(keepSecrets(dataDir)).rejects.toThrow(/encryption-key is damaged/);
  expect(await readFile(file, 'utf8')).toBe('half a k');
  await writeFile(join(folder, 'a-file'), '');
  const impossible = storeSecret(join(folder, 'a-file', 'data'), JWT_SECRET_FILE);
  await expect(impossible).rejects.toBeInstanceOf(StartupError);
});

test('reads the egress rules: SSRF allowlist, plain HTTP and proxy', () => {
  const { egress } = readConfig({
    ALLOW_HTTP_WEBHOOKS: 'true',
    WEBHOOK_ALLOWED_HOSTS: 'n8n.internal, 10.1.0.0/16',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: 'n8n.internal',
  });
  expect(egress).toMatchObject({
    allowHttp: true,
    proxy: { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'n8n.internal' },
  });
  expect(egress.allowed.hasName('n8n.internal')).toBe(true);
  expect(
    problemsOf({ WEBHOOK_ALLOWED_HOSTS: '10.1.0.0/99', ALLOW_HTTP_WEBHOOKS: '1', HTTPS_PROXY: 'proxy' }),
  ).toHaveLength(3);
});

test('reads which pages link previews may read', () => {
  const byDefault = readConfig({}).linkPreviews;
  expect([byDefault.isEnabled, byDefault.allowed.hasName('wiki.internal')]).toEqual([true, false]);
  const { linkPreviews } = readConfig({
    LINK_PREVIEWS: 'false',
    LINK_PREVIEW_ALLOWED_HOSTS: 'wiki.internal',
    HTTP_PROXY: 'http://proxy:3128',
  });
  expect(linkPreviews).toMatchObject({ isEnabled: false, proxy: { HTTP_PROXY: 'http://proxy:3128' } });
  expect(linkPreviews.allowed.hasName('wiki.internal')).toBe(true);
  expect(problemsOf({ LINK_PREVIEWS: 'no', LINK_PREVIEW_ALLOWED_HOSTS: '10.1.0.0/99' })).toHaveLength(2);
});

test('daily backups require BACKUP_PASSPHRASE', () => {
  const backup = { BACKUP_TO: '/backups', BACKUP_PASSPHRASE: 'a passphrase that is long' };
  expect(readConfig(backup).backup).toEqual({
    to: '/backups',
    at: '03:00',
    keep: 7,
    passphrase: backup.BACKUP_PASSPHRASE,
  });
  expect(problemsOf({ BACKUP_TO: '/backups' })).toEqual([expect.stringContaining('BACKUP_TO needs BACKUP_PASSPHRASE')]);
});
