import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { backupProblems, backupSettings, longPassphrase, timeOfDay, type BackupSettings } from './backup-settings.ts';
import { StartupError } from '../errors/errors.ts';
import { isAddressRange } from '../network/address-range.ts';
import { readEgress, type EgressSettings } from './egress-settings.ts';
import { createReader, type Environment } from './settings-reader.ts';
import { defaultStateDir, isInside } from './state-dir.ts';
import { describeTimeZone } from '../time/suggest-time-zones.ts';
import { findTimeZone } from '../time/time-zone.ts';
import { certificates, whatsappRootKey, whatsappVersion } from './whatsapp-settings.ts';

export type { Environment };

/** Everything that the operator decides (contract §1), checked. This module is the only one that reads the environment. */
export interface Config {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Undefined: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  /** Of the same database without a pooler, for the one connection that listens. Undefined: `databaseUrl`. */
  databaseListenUrl: string | undefined;
  /** Absolute. */
  dataDir: string;
  /** Absolute; never inside `dataDir`. */
  stateDir: string;
  role: Role;
  messenger: 'sandbox' | 'whatsapp';
  /** Undefined: generated, see `loadSecrets`. */
  jwtSecret: string | undefined;
  /** The secret before, whose tokens are still taken. */
  jwtSecretPrevious: string | undefined;
  /** 32 bytes. Undefined: generated, see `loadSecrets`. */
  encryptionKey: Buffer | undefined;
  /** The key before, while credentials are sealed anew. */
  encryptionKeyPrevious: Buffer | undefined;
  /** IANA. */
  timeZone: string;
  signUp: 'open' | 'invite' | 'closed';
  /** Of the server that takes mails. Undefined: none is sent. */
  smtpUrl: string | undefined;
  /** Whom mails are from. */
  mailFrom: string | undefined;
  /** Requests a minute and user; undefined: no limit. */
  rateLimit: number | undefined;
  logLevel: LogLevel;
  /** Without a trailing slash. */
  publicUrl: string | undefined;
  /** Whose `x-forwarded-for` counts: addresses, ranges and names of ranges. */
  trustedProxies: readonly string[];
  corsOrigins: readonly string[];
  metricsToken: string | undefined;
  accessLog: boolean;
  /** Whether strangers may read the API's description and the metrics where `publicUrl` is set. */
  publicDocs: boolean;
  whatsappGap: Gap;
  /** The version of WhatsApp's client to say that we are. Undefined: the newest that is known. */
  whatsappVersion: [number, number, number] | undefined;
  /** Undefined: WhatsApp's own server. */
  whatsappUrl: string | undefined;
  /** Who signs the certificates of that server, 32 bytes. Undefined: WhatsApp. */
  whatsappRootKey: Buffer | undefined;
  /** What follows when a server, or a phone that is linked, does not prove who it is. */
  whatsappCertificate: 'log' | 'enforce';
  /** Who signs the certificates of its media host, as PEM. Undefined: those whom Node.js trusts. */
  whatsappCa: string | undefined;
  /** Numbers of queries about channels, where they are other than the usual ones. */
  whatsappQueryIds: Partial<Record<QueryName, string>>;
  sandboxGap: Gap;
  /** A campaign that ended so long ago keeps what it came to in each group, and no single posts. */
  retentionDays: number;
  /** 1 is real time; 0: members never do anything. */
  sandboxSpeed: number;
  /** What each workspace may have: bytes of files, campaigns under way or planned, groups created a day on WhatsApp. */
  quotas: { storedBytes: number; openCampaigns: number; groupsPerDay: Readonly<Partial<Record<string, number>>> };
  /** The files of a campaign are kept for so long after its end. */
  mediaDays: number;
  /** Of the embedded PostgreSQL's disk: with less left nothing is taken in. Undefined: a twentieth of it, 1 GiB at most. */
  diskFloorBytes: number | undefined;
  /** Previews and checks a minute and user. */
  previewRateLimit: number;
  /** Undefined: it makes no backups by itself. */
  backup: BackupSettings | undefined;
  /** Whether a database in use is backed up before it is brought up to date. */
  backUpBeforeUpgrade: boolean;
  /** How addresses are asked that users name. */
  egress: EgressSettings;
}

export type Role = 'all' | 'api' | 'worker';
export type QueryName = 'create' | 'read' | 'list';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
/** The random pause between two sends of one account, in milliseconds. */
export interface Gap {
  minMs: number;
  maxMs: number;
}

const ROLES: readonly Role[] = ['all', 'api', 'worker'];
const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const QUERY_NAMES: readonly QueryName[] = ['create', 'read', 'list'];
const LONGEST_GAP_MS = 24 * 60 * 60 * 1_000;
const MIN_SECRET_LENGTH = 32;
const SECRET = `at least ${MIN_SECRET_LENGTH} characters`;
const HIGHEST_SPEED = 1_000_000;
const MEGABYTE = 1024 ** 2;
/** Longer than receipts are kept, and than what is told of the posts to a group looks back. */
const SHORTEST_RETENTION_DAYS = 100;
const LONGEST_RETENTION_DAYS = 36_500;

/** Throws a StartupError with a line for each variable that is wrong; an empty variable is as good as none. */
export function readConfig(environment: Environment = process.env): Config {
  const problems: string[] = [];
  const read = createReader(environment, problems);
  const whole = (name: string, min: number, max: number) =>
    read.parsed(name, `a whole number from ${min} to ${max}`, (text) => wholeNumber(text, min, max));
  const gap = (name: string) =>
    read.parsed(name, 'two whole numbers of milliseconds, min-max, such as 5000-15000', gapOf);
  const databaseUrl = (name: string) =>
    read.parsed(name, 'a postgres:// URL', ofScheme(/^postgres(ql)?:$/), read.secret);
  const key = (name: string) => read.parsed(name, '32 bytes in hex or base64', encryptionKey, read.secret);
  const dataDir = resolve(read.text('DATA_DIR') ?? 'data');
  const host = read.parsed('HOST', 'an address or a name of this machine such as localhost', hostName) ?? '127.0.0.1';
  const port = whole('PORT', 0, 65_535);
  const role = read.choice('ROLE', ROLES) ?? 'all';
  const publicAt = read.parsed('PUBLIC_URL', 'an http:// or https:// URL', publicUrl);
  const config: Config = {
    host,
    // Any number of workers fit on one machine, beside the API, without being told to.
    port: port ?? (role === 'worker' ? 0 : 3_000),
    databaseUrl: databaseUrl('DATABASE_URL'),
    databaseListenUrl: databaseUrl('DATABASE_LISTEN_URL'),
    dataDir,
    stateDir: resolve(read.text('STATE_DIR') ?? defaultStateDir(environment)),
    role,
    messenger: read.choice('MESSENGER', ['sandbox', 'whatsapp']) ?? 'sandbox',
    jwtSecret: read.parsed('JWT_SECRET', SECRET, jwtSecret, read.secret),
    jwtSecretPrevious: read.parsed('JWT_SECRET_PREVIOUS', SECRET, jwtSecret, read.secret),
    encryptionKey: key('ENCRYPTION_KEY'),
    encryptionKeyPrevious: key('ENCRYPTION_KEY_PREVIOUS'),
    timeZone: read.parsed('TIME_ZONE', describeTimeZone, findTimeZone) ?? 'UTC',
    signUp: read.choice('SIGNUP', ['open', 'invite', 'closed']) ?? 'open',
    smtpUrl: read.parsed('SMTP_URL', 'an smtp:// or smtps:// URL', ofScheme(/^smtps?:$/), read.secret),
    mailFrom: read.parsed('MAIL_FROM', 'an address such as Campanile <campanile@example.com>', mailFrom),
    rateLimit: whole('RATE_LIMIT', 1, 1_000_000),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS) ?? 'info',
    publicUrl: publicAt,
    // Without a proxy anybody could say that they are somebody else.
    trustedProxies:
      read.parsed('TRUSTED_PROXIES', 'addresses or ranges such as 10.0.0.0/8, with commas', addressRanges) ??
      (publicAt === undefined ? [] : ['loopback']),
    corsOrigins: read.parsed('CORS_ORIGINS', 'origins such as https://app.example.com, with commas', origins) ?? [],
    metricsToken: read.secret('METRICS_TOKEN'),
    accessLog: read.choice('ACCESS_LOG', ['true', 'false']) === 'true',
    publicDocs: read.choice('PUBLIC_DOCS', ['true', 'false']) === 'true',
    whatsappGap: gap('WHATSAPP_GAP_MS') ?? { minMs: 5_000, maxMs: 15_000 },
    whatsappVersion: read.parsed('WHATSAPP_VERSION', 'three numbers such as 2.3000.1043857760', whatsappVersion),
    whatsappUrl: read.parsed('WHATSAPP_URL', 'a ws:// or wss:// URL', ofScheme(/^wss?:$/)),
    whatsappRootKey: read.parsed('WHATSAPP_ROOT_KEY', '32 bytes in hex', whatsappRootKey),
    whatsappCertificate: read.choice('WHATSAPP_CERTIFICATE', ['log', 'enforce']) ?? 'log',
    whatsappCa: read.parsed('WHATSAPP_CA_FILE', 'a file with certificates in PEM', certificates),
    whatsappQueryIds:
      read.parsed('WHATSAPP_QUERY_IDS', 'numbers of queries such as create=12345,list=67890', queryIds) ?? {},
    sandboxGap: gap('SANDBOX_GAP_MS') ?? { minMs: 0, maxMs: 0 },
    retentionDays: whole('RETENTION_DAYS', SHORTEST_RETENTION_DAYS, LONGEST_RETENTION_DAYS) ?? 400,
    sandboxSpeed: read.parsed('SANDBOX_SPEED', `a number from 0 to ${HIGHEST_SPEED}`, speed) ?? 1,
    quotas: {
      storedBytes: (whole('QUOTA_STORED_MB', 1, 1_000_000_000) ?? 2_048) * MEGABYTE,
      openCampaigns: whole('QUOTA_CAMPAIGNS', 1, 1_000_000) ?? 10_000,
      groupsPerDay: { whatsapp: whole('QUOTA_GROUPS_PER_DAY', 0, 1_000_000) ?? 100 },
    },
    mediaDays: whole('MEDIA_RETENTION_DAYS', 30, LONGEST_RETENTION_DAYS) ?? 90,
    diskFloorBytes: megabytes(whole('DISK_FLOOR_MB', 0, 1_000_000_000)),
    previewRateLimit: whole('PREVIEW_RATE_LIMIT', 1, 1_000_000) ?? 600,
    ...readBackups(read, whole('BACKUP_KEEP', 1, 10_000)),
    egress: readEgress(read),
  };
  problems.push(...problemsBetween(config));
  if (problems.length > 0) throw new StartupError(problems.join('\n'));
  return Object.freeze(config);
}

function readBackups(
  read: ReturnType<typeof createReader>,
  keep: number | undefined,
): Pick<Config, 'backup' | 'backUpBeforeUpgrade'> {
  const backup = backupSettings({
    to: read.text('BACKUP_TO'),
    at: read.parsed('BACKUP_AT', 'a time of day, HH:MM', timeOfDay),
    keep,
    passphrase: read.parsed('BACKUP_PASSPHRASE', 'at least 12 characters', longPassphrase, read.secret),
  });
  return { backup, backUpBeforeUpgrade: read.choice('BACKUP_BEFORE_UPGRADE', ['true', 'false']) !== 'false' };
}

/** What single variables cannot tell. */
function problemsBetween(config: Config): string[] {
  const { dataDir, stateDir, databaseUrl, role, jwtSecret, jwtSecretPrevious, encryptionKey } = config;
  const { encryptionKeyPrevious, whatsappRootKey, whatsappUrl, smtpUrl, mailFrom, publicUrl } = config;
  const hasOwnSecrets = jwtSecret !== undefined && encryptionKey !== undefined;
  const problems = backupProblems(config.backup, { hasOwnSecrets });
  if (isInside(stateDir, dataDir))
    problems.push('STATE_DIR must not be inside DATA_DIR: it tells a restored DATA_DIR from the living one');
  if (jwtSecretPrevious !== undefined && jwtSecretPrevious === jwtSecret)
    problems.push(
      'JWT_SECRET_PREVIOUS is the same as JWT_SECRET: set it to the secret that was used before, or not at all',
    );
  if (encryptionKeyPrevious && encryptionKey?.equals(encryptionKeyPrevious))
    problems.push(
      'ENCRYPTION_KEY_PREVIOUS is the same as ENCRYPTION_KEY: set it to the key that was used before, or not at all',
    );
  if (whatsappRootKey && whatsappUrl === undefined)
    problems.push('WHATSAPP_ROOT_KEY needs WHATSAPP_URL: it is for a server other than WhatsApp');
  if (smtpUrl !== undefined && (mailFrom === undefined || publicUrl === undefined))
    problems.push('SMTP_URL needs MAIL_FROM, and PUBLIC_URL for the links in mails');
  if (config.databaseListenUrl !== undefined && databaseUrl === undefined)
    problems.push('DATABASE_LISTEN_URL needs DATABASE_URL: it is the same database without a pooler');
  if (role !== 'all' && databaseUrl === undefined)
    problems.push(`ROLE=${role} needs DATABASE_URL: processes of different roles share one database`);
  if (role !== 'all' && databaseUrl !== undefined) {
    if (jwtSecret === undefined)
      problems.push(`JWT_SECRET is needed with ROLE=${role}: all processes must have the same`);
    if (encryptionKey === undefined)
      problems.push(`ENCRYPTION_KEY is needed with ROLE=${role}: all processes must have the same`);
  }
  return problems;
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function hostName(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(text) ? text : undefined;
}

function ofScheme(scheme: RegExp): (text: string) => string | undefined {
  return (text) => (URL.canParse(text) && scheme.test(new URL(text).protocol) ? text : undefined);
}

function mailFrom(text: string): string | undefined {
  return /^([^<>\p{Cc}]* <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(text) ? text : undefined;
}

function jwtSecret(text: string): string | undefined {
  return text.length >= MIN_SECRET_LENGTH ? text : undefined;
}

/** The 32 bytes that `text` writes in hex or base64 (also the URL kind); undefined when it does not. */
export function encryptionKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 ? bytes : undefined;
}

function megabytes(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * MEGABYTE;
}

function publicUrl(text: string): string | undefined {
  return isHttpUrl(text) ? text.replace(/\/+$/, '') : undefined;
}

function origins(text: string): readonly string[] | undefined {
  const list = text.split(',').map((one) => one.trim().replace(/\/$/, ''));
  return list.every((one) => isHttpUrl(one) && new URL(one).origin === one) ? list : undefined;
}

function addressRanges(text: string): readonly string[] | undefined {
  const list = text.split(',').map((one) => one.trim());
  return list.every(isAddressRange) ? list : undefined;
}

function isHttpUrl(text: string): boolean {
  return ofScheme(/^https?:$/)(text) !== undefined;
}

function queryIds(text: string): Partial<Record<QueryName, string>> | undefined {
  const pairs = text.split(',').map((pair) => /^(\w+)=(\d{5,25})$/.exec(pair.trim()) ?? []);
  const named = pairs.map(([, name, id]) => [QUERY_NAMES.find((one) => one === name), id] as const);
  return named.every(([name]) => name !== undefined) ? Object.fromEntries(named) : undefined;
}

function gapOf(text: string): Gap | undefined {
  const [, min = '', max = ''] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  const minMs = wholeNumber(min, 0, LONGEST_GAP_MS);
  const maxMs = wholeNumber(max, 0, LONGEST_GAP_MS);
  return minMs === undefined || maxMs === undefined || minMs > maxMs ? undefined : { minMs, maxMs };
}

function speed(text: string): number | undefined {
  const value = /^\d{1,7}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value >= 0 && value <= HIGHEST_SPEED ? value : undefined;
}
