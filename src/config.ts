import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { StartupError } from './lib/errors.ts';
import { isTimeZone } from './lib/time-zone.ts';

/** Everything that the operator decides (contract §1), checked. This module is the only one that reads the environment. */
export interface Config {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Undefined: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  /** Absolute. */
  dataDir: string;
  /** Absolute; never inside `dataDir`. */
  stateDir: string;
  role: Role;
  messenger: 'sandbox' | 'whatsapp';
  /** Undefined: generated, see `loadSecrets`. */
  jwtSecret: string | undefined;
  /** 32 bytes. Undefined: generated, see `loadSecrets`. */
  encryptionKey: Buffer | undefined;
  /** The key before, while credentials are sealed anew. */
  encryptionKeyPrevious: Buffer | undefined;
  /** IANA. */
  timeZone: string;
  signUp: 'open' | 'closed';
  /** Requests a minute and user; undefined: no limit. */
  rateLimit: number | undefined;
  logLevel: LogLevel;
  /** Without a trailing slash. */
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
  metricsToken: string | undefined;
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
}

export type Role = 'all' | 'api' | 'worker';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
/** The random pause between two sends of one account, in milliseconds. */
export interface Gap {
  minMs: number;
  maxMs: number;
}

export type QueryName = 'create' | 'read' | 'list';

export type Environment = Readonly<Record<string, string | undefined>>;

const ROLES: readonly Role[] = ['all', 'api', 'worker'];
const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const QUERY_NAMES: readonly QueryName[] = ['create', 'read', 'list'];
const LONGEST_GAP_MS = 24 * 60 * 60 * 1_000;
const MIN_SECRET_LENGTH = 32;
const HIGHEST_SPEED = 1_000_000;
/** Longer than receipts are kept, and than what is told of the posts to a group looks back. */
const SHORTEST_RETENTION_DAYS = 100;
const LONGEST_RETENTION_DAYS = 36_500;

/** Throws a StartupError with a line for each variable that is wrong; an empty variable is as good as none. */
export function readConfig(environment: Environment = process.env): Config {
  const problems: string[] = [];
  const read = createReader(environment, problems);
  const dataDir = resolve(read.text('DATA_DIR') ?? 'data');
  const port = read.parsed('PORT', 'a whole number from 0 to 65535', (text) => wholeNumber(text, 0, 65_535));
  const role = read.choice('ROLE', ROLES) ?? 'all';
  const config: Config = {
    host: read.text('HOST') ?? '127.0.0.1',
    // Any number of workers fit on one machine, beside the API, without being told to.
    port: port ?? (role === 'worker' ? 0 : 3_000),
    databaseUrl: read.parsed('DATABASE_URL', 'a postgres:// URL', databaseUrl, read.secret),
    dataDir,
    stateDir: resolve(read.text('STATE_DIR') ?? defaultStateDir(environment)),
    role,
    messenger: read.choice('MESSENGER', ['sandbox', 'whatsapp']) ?? 'sandbox',
    jwtSecret: read.parsed('JWT_SECRET', `at least ${MIN_SECRET_LENGTH} characters`, jwtSecret, read.secret),
    encryptionKey: read.parsed('ENCRYPTION_KEY', '32 bytes in hex or base64', encryptionKey, read.secret),
    encryptionKeyPrevious: read.parsed(
      'ENCRYPTION_KEY_PREVIOUS',
      '32 bytes in hex or base64',
      encryptionKey,
      read.secret,
    ),
    timeZone: read.parsed('TIME_ZONE', 'an IANA time zone such as Europe/Berlin', timeZone) ?? 'UTC',
    signUp: read.choice('SIGNUP', ['open', 'closed'], ['invite']) ?? 'open',
    rateLimit: read.parsed('RATE_LIMIT', 'a whole number from 1 to 1000000', (text) => wholeNumber(text, 1, 1_000_000)),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS) ?? 'info',
    publicUrl: read.parsed('PUBLIC_URL', 'an http:// or https:// URL', publicUrl),
    corsOrigins: read.parsed('CORS_ORIGINS', 'origins such as https://app.example.com, with commas', origins) ?? [],
    metricsToken: read.secret('METRICS_TOKEN'),
    whatsappGap: read.gap('WHATSAPP_GAP_MS') ?? { minMs: 5_000, maxMs: 15_000 },
    whatsappVersion: read.parsed('WHATSAPP_VERSION', 'three numbers such as 2.3000.1043857760', whatsappVersion),
    whatsappUrl: read.parsed('WHATSAPP_URL', 'a ws:// or wss:// URL', whatsappUrl),
    whatsappRootKey: read.parsed('WHATSAPP_ROOT_KEY', '32 bytes in hex', whatsappRootKey),
    whatsappCertificate: read.choice('WHATSAPP_CERTIFICATE', ['log', 'enforce']) ?? 'log',
    whatsappCa: read.parsed('WHATSAPP_CA_FILE', 'a file with certificates in PEM', certificates),
    whatsappQueryIds:
      read.parsed('WHATSAPP_QUERY_IDS', 'numbers of queries such as create=12345,list=67890', queryIds) ?? {},
    sandboxGap: read.gap('SANDBOX_GAP_MS') ?? { minMs: 0, maxMs: 0 },
    retentionDays:
      read.parsed(
        'RETENTION_DAYS',
        `a whole number from ${SHORTEST_RETENTION_DAYS} to ${LONGEST_RETENTION_DAYS}`,
        (text) => wholeNumber(text, SHORTEST_RETENTION_DAYS, LONGEST_RETENTION_DAYS),
      ) ?? 400,
    sandboxSpeed: read.parsed('SANDBOX_SPEED', `a number from 0 to ${HIGHEST_SPEED}`, speed) ?? 1,
  };
  problems.push(...problemsBetween(config));
  if (problems.length > 0) throw new StartupError(problems.join('\n'));
  return Object.freeze(config);
}

/** What single variables cannot tell. */
function problemsBetween(config: Config): string[] {
  const { dataDir, stateDir, databaseUrl, role, jwtSecret, encryptionKey } = config;
  const { encryptionKeyPrevious, whatsappRootKey, whatsappUrl } = config;
  const problems: string[] = [];
  if (isInside(stateDir, dataDir))
    problems.push('STATE_DIR must not be inside DATA_DIR: it tells a restored DATA_DIR from the living one');
  if (encryptionKeyPrevious && encryptionKey?.equals(encryptionKeyPrevious))
    problems.push(
      'ENCRYPTION_KEY_PREVIOUS is the same as ENCRYPTION_KEY: set it to the key that was used before, or not at all',
    );
  if (whatsappRootKey && whatsappUrl === undefined)
    problems.push('WHATSAPP_ROOT_KEY needs WHATSAPP_URL: it is for a server other than WhatsApp');
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

/** Reads single variables and notes what is wrong with each. */
function createReader(environment: Environment, problems: string[]) {
  const text = (name: string) => environment[name]?.trim() || undefined;

  /** `NAME`, or what is in the file that `NAME_FILE` names. */
  function secret(name: string): string | undefined {
    const file = text(`${name}_FILE`);
    const value = text(name);
    if (file === undefined) return value;
    if (value !== undefined) problems.push(`${name} and ${name}_FILE are both set: use one of them`);
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch (error) {
      problems.push(`${name}_FILE must name a file that can be read (${codeOf(error)})`);
      return undefined;
    }
  }

  function parsed<Value>(
    name: string,
    takes: string,
    parse: (text: string) => Value | undefined,
    source: (name: string) => string | undefined = text,
  ): Value | undefined {
    const raw = source(name);
    if (raw === undefined) return undefined;
    const value = parse(raw);
    if (value === undefined) problems.push(`${name} must be ${takes}`);
    return value;
  }

  function choice<Choice extends string>(
    name: string,
    choices: readonly Choice[],
    notThereYet: readonly string[] = [],
  ): Choice | undefined {
    const raw = text(name);
    if (raw !== undefined && notThereYet.includes(raw)) {
      problems.push(`${name}=${raw} is not supported yet`);
      return undefined;
    }
    return parsed(name, choices.join(' or '), () => choices.find((one) => one === raw));
  }

  const gap = (name: string) => parsed(name, 'two whole numbers of milliseconds, min-max, such as 5000-15000', gapOf);
  return { text, secret, parsed, choice, gap };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function defaultStateDir(environment: Environment): string {
  const home = environment['XDG_STATE_HOME'];
  if (home !== undefined && isAbsolute(home)) return join(home, 'campanile');
  if (process.platform === 'win32') return join(environment['LOCALAPPDATA'] ?? homedir(), 'campanile');
  return join(homedir(), '.local', 'state', 'campanile');
}

function isInside(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return !/^\.\.([/\\]|$)/.test(path) && !isAbsolute(path);
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function databaseUrl(text: string): string | undefined {
  const isPostgres = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
  return isPostgres ? text : undefined;
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

function timeZone(text: string): string | undefined {
  return isTimeZone(text) ? text : undefined;
}

function publicUrl(text: string): string | undefined {
  return isHttpUrl(text) ? text.replace(/\/+$/, '') : undefined;
}

function origins(text: string): readonly string[] | undefined {
  const list = text.split(',').map((one) => one.trim().replace(/\/$/, ''));
  return list.every((one) => isHttpUrl(one) && new URL(one).origin === one) ? list : undefined;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function whatsappVersion(text: string): [number, number, number] | undefined {
  const [, first, second, third] = /^(\d{1,4})\.(\d{1,6})\.(\d{1,10})$/.exec(text) ?? [];
  return third === undefined ? undefined : [Number(first), Number(second), Number(third)];
}

function whatsappUrl(text: string): string | undefined {
  return URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol) ? text : undefined;
}

function whatsappRootKey(text: string): Buffer | undefined {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

function certificates(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
  } catch {
    return undefined;
  }
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
