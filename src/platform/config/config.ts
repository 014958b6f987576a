import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { StartupError, errorCodeOf } from '../errors/errors.ts';
import { describeMisspelled, findMisspelled, type Misspelled } from './find-misspelled.ts';
import { findStateDir, isInside } from './state-dir.ts';
import { VARIABLES } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Everything that the operator decides (contract §1), checked. This module is the only one that reads the environment. */
export type Config = Readonly<ReturnType<typeof toConfig>>;
export type BackupSettings = NonNullable<Config['backup']>;
/** A shell command of the operator, with the environment that it gets. */
export type BackupCommand = NonNullable<BackupSettings['command']>;
/** The random pause between two sends of one account, in milliseconds. */
export type Gap = Config['whatsappGap'];

/** A `postgres://` URL, or how to read it for each new connection. */
export type ConnectionUrl = string | (() => string);

type Name = keyof typeof VARIABLES.shape;
const NAMES = Object.keys(VARIABLES.shape) as readonly Name[];
/** Variables that can be read from the file that `NAME_FILE` names. */
export const SECRETS: readonly Name[] = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEY_PREVIOUS',
  'SMTP_URL',
  'WHATSAPP_PROXIES',
  'METRICS_TOKEN',
  'BACKUP_PASSPHRASE',
];
/** Variables that other programs take in lower case, too. */
const ANY_CASE: ReadonlySet<Name> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** With the files of secrets, and the names that other programs take in lower case. */
const KNOWN_NAMES: readonly string[] = [
  ...NAMES,
  ...SECRETS.map((name) => `${name}_FILE`),
  ...[...ANY_CASE].map((name) => name.toLowerCase()),
];

/** A line for each variable that is wrong, and for each that looks misspelled: it may be why another one is wrong. */
export class InvalidConfigError extends StartupError {
  readonly problems: readonly string[];
  readonly misspelled: readonly Misspelled[];

  constructor(problems: readonly string[], misspelled: readonly Misspelled[]) {
    super([...problems, ...misspelled.map(describeMisspelled)].join('\n'));
    this.problems = problems;
    this.misspelled = misspelled;
  }
}

/** Throws an InvalidConfigError. An empty variable counts as unset. */
export function readConfig(environment: Environment = process.env): Config {
  const problems: string[] = [];
  const texts = Object.fromEntries(NAMES.map((name) => [name, readText(name, environment, problems)]));
  for (const { path, message } of VARIABLES.safeParse(texts).error?.issues ?? []) {
    problems.push(`${path.join('.')} ${message}`);
    texts[path.join('.')] = undefined;
  }
  const config = toConfig(VARIABLES.parse(texts), environment);
  problems.push(...findConflicts(config));
  if (texts['BACKUP_COMMAND'] !== undefined && !config.backup)
    problems.push('BACKUP_COMMAND needs BACKUP_TO: it runs after each daily backup');
  if (problems.length > 0) throw new InvalidConfigError(problems, config.misspelled);
  return Object.freeze(config);
}

function readText(name: Name, environment: Environment, problems: string[]): string | undefined {
  const trimmed = (key: string) => environment[key]?.trim() || undefined;
  const text = trimmed(name) ?? (ANY_CASE.has(name) ? trimmed(name.toLowerCase()) : undefined);
  const file = SECRETS.includes(name) ? trimmed(`${name}_FILE`) : undefined;
  if (file === undefined) return text;
  if (text !== undefined) problems.push(`${name} and ${name}_FILE are both set: use one of them`);
  try {
    const found = readFileSync(file, 'utf8').trim();
    if (found === '') problems.push(`${name}_FILE names an empty file`);
    return found || undefined;
  } catch (error) {
    problems.push(`${name}_FILE must name a file that can be read (${errorCodeOf(error) ?? 'unknown error'})`);
    return undefined;
  }
}

function toConfig(env: z.output<typeof VARIABLES>, environment: Environment) {
  return {
    host: env.HOST,
    /** 0: any free port, so that any number of workers fit on one machine, beside the API. */
    port: env.PORT ?? (env.ROLE === 'worker' ? 0 : 3_000),
    /** Undefined: the embedded PostgreSQL in `dataDir`. */
    databaseUrl: toConnectionUrl('DATABASE_URL', env.DATABASE_URL, environment),
    /** Undefined: `databaseUrl`. */
    databaseListenUrl: toConnectionUrl('DATABASE_LISTEN_URL', env.DATABASE_LISTEN_URL, environment),
    /** Absolute. */
    dataDir: resolve(env.DATA_DIR),
    /** Absolute; never inside `dataDir`. */
    stateDir: findStateDir(environment),
    role: env.ROLE,
    messenger: env.MESSENGER,
    /** Undefined: generated, see `loadSecrets`. */
    jwtSecret: env.JWT_SECRET,
    jwtSecretPrevious: env.JWT_SECRET_PREVIOUS,
    /** Undefined: generated, see `loadSecrets`. */
    encryptionKey: env.ENCRYPTION_KEY,
    encryptionKeyPrevious: env.ENCRYPTION_KEY_PREVIOUS,
    timeZone: env.TIME_ZONE,
    isTimeZoneSet: Boolean(environment['TIME_ZONE']?.trim()),
    signUp: env.SIGNUP,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    rateLimit: env.RATE_LIMIT,
    logLevel: env.LOG_LEVEL,
    /** Without a trailing slash. */
    publicUrl: env.PUBLIC_URL,
    /** Spoofing: without a proxy in front, any client could write its own `x-forwarded-for`. */
    trustedProxies: env.TRUSTED_PROXIES ?? (env.PUBLIC_URL === undefined ? [] : ['loopback']),
    corsOrigins: env.CORS_ORIGINS ?? [],
    metricsToken: env.METRICS_TOKEN,
    accessLog: env.ACCESS_LOG,
    publicDocs: env.PUBLIC_DOCS,
    whatsappGap: env.WHATSAPP_GAP_MS,
    whatsappWarmUpGap: env.WHATSAPP_WARM_UP_GAP_MS,
    whatsappRestAfterLinkMs: env.WHATSAPP_REST_AFTER_LINK_MINUTES * 60_000,
    whatsappVersion: env.WHATSAPP_VERSION,
    whatsappUrl: env.WHATSAPP_URL,
    whatsappRootKey: env.WHATSAPP_ROOT_KEY,
    whatsappCertificate: env.WHATSAPP_CERTIFICATE,
    /** PEM. Undefined: the authorities that Node.js trusts. */
    whatsappCa: env.WHATSAPP_CA_FILE,
    whatsappProxies: env.WHATSAPP_PROXIES ?? [],
    whatsappQueryIds: env.WHATSAPP_QUERY_IDS ?? {},
    sandboxGap: env.SANDBOX_GAP_MS,
    retentionDays: env.RETENTION_DAYS,
    sandboxSpeed: env.SANDBOX_SPEED,
    quotas: {
      storedBytes: env.QUOTA_STORED_MB,
      openCampaigns: env.QUOTA_CAMPAIGNS,
      groupsPerDay: { whatsapp: env.QUOTA_GROUPS_PER_DAY } as Readonly<Partial<Record<string, number>>>,
      accounts: env.QUOTA_ACCOUNTS,
    },
    ownedWorkspaces: env.QUOTA_WORKSPACES,
    mediaDays: env.MEDIA_RETENTION_DAYS,
    /** Undefined: a twentieth of the disk, 1 GiB at most. */
    diskFloorBytes: env.DISK_FLOOR_MB,
    previewRateLimit: env.PREVIEW_RATE_LIMIT,
    backup: env.BACKUP_TO === undefined ? undefined : toBackup(env.BACKUP_TO, env, environment),
    backUpBeforeUpgrade: env.BACKUP_BEFORE_UPGRADE,
    /** Variables that look like misspellings of ours. */
    misspelled: findMisspelled(environment, KNOWN_NAMES),
    egress: toEgress(env),
    linkPreviews: toLinkPreviews(env),
  };
}

/**
 * Returns the URL, or a function that reads its file for each new connection: a secrets manager changes the password meanwhile. The
 * function throws if the file cannot be read, or has no URL, as while it is being written.
 */
function toConnectionUrl(
  name: 'DATABASE_URL' | 'DATABASE_LISTEN_URL',
  url: string | undefined,
  environment: Environment,
): ConnectionUrl | undefined {
  const file = environment[`${name}_FILE`]?.trim();
  if (url === undefined || !file) return url;
  return () => {
    const read = VARIABLES.shape[name].safeParse(readFileSync(file, 'utf8').trim());
    // No message of the parser: it may quote the password.
    if (read.data === undefined)
      throw Object.assign(new Error(`${name}_FILE has no postgres:// URL just now`), { code: 'ERR_INVALID_URL' });
    return read.data;
  };
}

const NO_HOSTS = { hasName: () => false, hasAddress: () => false };

function toEgress(env: z.output<typeof VARIABLES>) {
  return {
    allowHttp: env.ALLOW_HTTP_WEBHOOKS,
    allowed: env.WEBHOOK_ALLOWED_HOSTS ?? NO_HOSTS,
    proxy: toProxy(env),
  };
}

function toLinkPreviews(env: z.output<typeof VARIABLES>) {
  return {
    isEnabled: env.LINK_PREVIEWS,
    allowed: env.LINK_PREVIEW_ALLOWED_HOSTS ?? NO_HOSTS,
    proxy: toProxy(env),
    /** For everything about one link, picture included. Only tests change it: their machine may be slow. */
    fetchMs: 3_000,
  };
}

function toProxy({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: z.output<typeof VARIABLES>) {
  return { ...(HTTPS_PROXY && { HTTPS_PROXY }), ...(HTTP_PROXY && { HTTP_PROXY }), ...(NO_PROXY && { NO_PROXY }) };
}

function toBackup(to: string, env: z.output<typeof VARIABLES>, environment: Environment) {
  return {
    to: resolve(to),
    at: env.BACKUP_AT,
    keep: env.BACKUP_KEEP,
    passphrase: env.BACKUP_PASSPHRASE,
    ...(env.BACKUP_COMMAND !== undefined && { command: toCommand(env.BACKUP_COMMAND, environment) }),
  };
}

/** Least privilege: the command gets neither our secrets nor our other settings, except those of the proxy. */
function toCommand(command: string, environment: Environment) {
  const own = new Set<string>([
    ...NAMES.filter((name) => !ANY_CASE.has(name)),
    ...SECRETS.map((name) => `${name}_FILE`),
  ]);
  return { command, environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !own.has(name))) };
}

/** Returns the conflicts between variables that are valid by themselves. */
function findConflicts(config: Config): string[] {
  const { dataDir, stateDir, databaseUrl, databaseListenUrl, role, jwtSecret, encryptionKey } = config;
  const { jwtSecretPrevious, encryptionKeyPrevious, whatsappRootKey, whatsappUrl, backup } = config;
  const { smtpUrl, mailFrom, publicUrl } = config;
  const conflicts: Record<string, boolean | undefined> = {
    'BACKUP_TO needs BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE that names a file with it, or JWT_SECRET and ENCRYPTION_KEY: the secrets in DATA_DIR are sealed with it':
      backup && backup.passphrase === undefined && (jwtSecret === undefined || encryptionKey === undefined),
    'STATE_DIR must not be inside DATA_DIR: it tells a restored DATA_DIR from the living one': isInside(
      stateDir,
      dataDir,
    ),
    'JWT_SECRET_PREVIOUS is the same as JWT_SECRET: set it to the secret that was used before, or not at all':
      jwtSecretPrevious !== undefined && jwtSecretPrevious === jwtSecret,
    'ENCRYPTION_KEY_PREVIOUS is the same as ENCRYPTION_KEY: set it to the key that was used before, or not at all':
      encryptionKeyPrevious && encryptionKey?.equals(encryptionKeyPrevious),
    'WHATSAPP_ROOT_KEY needs WHATSAPP_URL: it is for a server other than WhatsApp':
      whatsappRootKey && whatsappUrl === undefined,
    'SMTP_URL needs MAIL_FROM, and PUBLIC_URL for the links in mails':
      smtpUrl !== undefined && (mailFrom === undefined || publicUrl === undefined),
    'DATABASE_LISTEN_URL needs DATABASE_URL: it is the same database without a pooler':
      databaseListenUrl !== undefined && databaseUrl === undefined,
    [`ROLE=${role} needs DATABASE_URL: processes of different roles share one database`]:
      role !== 'all' && databaseUrl === undefined,
    [`JWT_SECRET is needed with ROLE=${role}: all processes must have the same`]:
      role !== 'all' && databaseUrl !== undefined && jwtSecret === undefined,
    [`ENCRYPTION_KEY is needed with ROLE=${role}: all processes must have the same`]:
      role !== 'all' && databaseUrl !== undefined && encryptionKey === undefined,
  };
  return Object.keys(conflicts).filter((conflict) => conflicts[conflict]);
}
