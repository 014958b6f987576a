import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { isAddressRange } from '../network/address-range.ts';
import { readAllowedHosts } from '../network/allowed-hosts.ts';
import { describeTimeZone } from '../time/suggest-time-zones.ts';
import { findTimeZone } from '../time/time-zone.ts';

export const MIN_PASSPHRASE_LENGTH = 12;
const MIN_SECRET_LENGTH = 32;
const MAX_GAP_MS = 24 * 60 * 60 * 1_000;
const MAX_SPEED = 1_000_000;
const MEGABYTE = 1024 ** 2;
/** Longer than receipts are kept, and than the list of the posts to a group looks back. */
const MIN_RETENTION_DAYS = 100;
const MAX_RETENTION_DAYS = 36_500;

/** A variable that must be `takes`: `parse` returns undefined for any other text. */
function parsed<Value>(takes: string | ((text: string) => string), parse: (text: string) => Value | undefined) {
  return z.string().transform((text, context): Value => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(`must be ${typeof takes === 'string' ? takes : takes(text)}`);
    return z.NEVER;
  });
}

const matching = (takes: string, pattern: RegExp) => z.string().regex(pattern, `must be ${takes}`);
const longerThan = (min: number) => z.string().min(min, `must be at least ${min} characters`);
const url = (takes: string, protocol: RegExp) => z.url({ protocol, error: `must be ${takes} URL` });
const choice = <const Choice extends string>(...choices: readonly Choice[]) =>
  z.enum(choices, `must be ${choices.join(' or ')}`);
const flag = () => choice('true', 'false').transform((text) => text === 'true');
const whole = (min: number, max: number) =>
  parsed(`a whole number from ${min} to ${max}`, (text) => wholeNumber(text, min, max));
const megabytes = (min: number) => whole(min, 1_000_000_000).transform((count) => count * MEGABYTE);
const postgresUrl = () => url('a postgres://', /^postgres(ql)?$/);
const key = () => parsed('32 bytes in hex or base64', encryptionKey);
const proxyUrl = () => url('an http://', /^https?$/);

const allowedHosts = () =>
  parsed('names, addresses and ranges, with commas', (text) =>
    readAllowedHosts(text.split(',').map((host) => host.trim())),
  );

/** The random pause between two sends of one account. */
const gap = () =>
  parsed('two whole numbers of milliseconds, min-max, such as 5000-15000', (text) => {
    const [, min = '', max = ''] = /^(\d+)-(\d+)$/.exec(text) ?? [];
    const minMs = wholeNumber(min, 0, MAX_GAP_MS);
    const maxMs = wholeNumber(max, 0, MAX_GAP_MS);
    return minMs === undefined || maxMs === undefined || minMs > maxMs ? undefined : { minMs, maxMs };
  });

/** A comma-separated list whose items satisfy `isValid`. */
const list = (takes: string, isValid: (text: string) => boolean) =>
  parsed(`${takes}, with commas`, (text) => {
    const items = text.split(',').map((item) => item.trim());
    return items.every(isValid) ? items : undefined;
  });

/** All environment variables that the service reads, with their defaults; docs/reference/configuration.md says what each is for. */
export const VARIABLES = z.object({
  HOST: parsed('an address or a name of this machine such as localhost', hostName).prefault('127.0.0.1'),
  PORT: whole(0, 65_535).optional(),
  DATABASE_URL: postgresUrl().optional(),
  DATABASE_LISTEN_URL: postgresUrl().optional(),
  DATA_DIR: z.string().prefault('./data'),
  STATE_DIR: z.string().optional(),
  ROLE: choice('all', 'api', 'worker').prefault('all'),
  MESSENGER: choice('sandbox', 'whatsapp').prefault('sandbox'),
  JWT_SECRET: longerThan(MIN_SECRET_LENGTH).optional(),
  JWT_SECRET_PREVIOUS: longerThan(MIN_SECRET_LENGTH).optional(),
  ENCRYPTION_KEY: key().optional(),
  ENCRYPTION_KEY_PREVIOUS: key().optional(),
  TIME_ZONE: parsed(describeTimeZone, findTimeZone).prefault('UTC'),
  SIGNUP: choice('open', 'invite', 'closed').prefault('open'),
  SMTP_URL: url('an smtp:// or smtps://', /^smtps?$/).optional(),
  MAIL_FROM: matching(
    'an address such as Campanile <campanile@example.com>',
    /^([^<>\p{Cc}]* <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
  ).optional(),
  RATE_LIMIT: whole(1, 1_000_000).optional(),
  PREVIEW_RATE_LIMIT: whole(1, 1_000_000).prefault('600'),
  QUOTA_STORED_MB: megabytes(1).prefault('2048'),
  QUOTA_CAMPAIGNS: whole(1, 1_000_000).prefault('10000'),
  QUOTA_ACCOUNTS: whole(1, 200).prefault('10'),
  QUOTA_WORKSPACES: whole(1, 1_000_000).prefault('5'),
  QUOTA_GROUPS_PER_DAY: whole(0, 1_000_000).prefault('100'),
  BACKUP_TO: z.string().optional(),
  BACKUP_AT: matching('a time of day, HH:MM', /^([01]\d|2[0-3]):[0-5]\d$/).prefault('03:00'),
  BACKUP_KEEP: whole(1, 10_000).prefault('7'),
  BACKUP_PASSPHRASE: longerThan(MIN_PASSPHRASE_LENGTH).optional(),
  BACKUP_COMMAND: z.string().optional(),
  BACKUP_BEFORE_UPGRADE: flag().prefault('true'),
  DISK_FLOOR_MB: megabytes(0).optional(),
  LOG_LEVEL: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').prefault('info'),
  PUBLIC_URL: parsed(
    'an http:// or https:// URL without a path, such as https://campanile.example: Campanile needs a host name of its own',
    readOrigin,
  ).optional(),
  TRUSTED_PROXIES: list('addresses or ranges such as 10.0.0.0/8', isAddressRange).optional(),
  CORS_ORIGINS: list('origins such as https://app.example.com', (text) => readOrigin(text) !== undefined)
    .transform((origins) => origins.map((origin) => new URL(origin).origin))
    .optional(),
  METRICS_TOKEN: z.string().optional(),
  PUBLIC_DOCS: flag().prefault('false'),
  ALLOW_HTTP_WEBHOOKS: flag().prefault('false'),
  WEBHOOK_ALLOWED_HOSTS: allowedHosts().optional(),
  LINK_PREVIEWS: flag().prefault('true'),
  LINK_PREVIEW_ALLOWED_HOSTS: allowedHosts().optional(),
  HTTPS_PROXY: proxyUrl().optional(),
  HTTP_PROXY: proxyUrl().optional(),
  NO_PROXY: z.string().optional(),
  ACCESS_LOG: flag().prefault('false'),
  RETENTION_DAYS: whole(MIN_RETENTION_DAYS, MAX_RETENTION_DAYS).prefault('400'),
  MEDIA_RETENTION_DAYS: whole(30, MAX_RETENTION_DAYS).prefault('90'),
  SANDBOX_GAP_MS: gap().prefault('0-0'),
  SANDBOX_SPEED: parsed(`a number from 0 to ${MAX_SPEED}`, speed).prefault('1'),
  WHATSAPP_GAP_MS: gap().prefault('5000-15000'),
  WHATSAPP_WARM_UP_GAP_MS: gap().prefault('20000-60000'),
  WHATSAPP_REST_AFTER_LINK_MINUTES: whole(0, 24 * 60).prefault('30'),
  WHATSAPP_VERSION: parsed('three numbers such as 2.3000.1043857760', whatsappVersion).optional(),
  WHATSAPP_URL: url('a ws:// or wss://', /^wss?$/).optional(),
  WHATSAPP_ROOT_KEY: matching('32 bytes in hex', /^[0-9a-f]{64}$/i)
    .transform((text) => Buffer.from(text, 'hex'))
    .optional(),
  WHATSAPP_CERTIFICATE: choice('log', 'enforce').prefault('log'),
  WHATSAPP_CA_FILE: parsed('a file with certificates in PEM', readCertificates).optional(),
  WHATSAPP_PROXIES: list('addresses such as socks5://user:password@proxy.example:1080', isProxy).optional(),
  WHATSAPP_QUERY_IDS: parsed('numbers of queries such as create=12345,list=67890', queryIds).optional(),
});

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function hostName(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(text) ? text : undefined;
}

/** The 32 bytes that `text` writes in hex or base64 (also the URL kind); undefined when it does not. */
export function encryptionKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 ? bytes : undefined;
}

/** Returns the origin of a URL that has nothing else; undefined for any other text. */
function readOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}

function speed(text: string): number | undefined {
  const value = /^\d{1,7}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value <= MAX_SPEED ? value : undefined;
}

function whatsappVersion(text: string): [number, number, number] | undefined {
  const [, first, second, third] = /^(\d{1,4})\.(\d{1,6})\.(\d{1,10})$/.exec(text) ?? [];
  return third === undefined ? undefined : [Number(first), Number(second), Number(third)];
}

function readCertificates(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
  } catch {
    return undefined;
  }
}

function isProxy(text: string): boolean {
  const { protocol, hostname, pathname } = URL.parse(text) ?? {};
  return /^(socks5|https?):$/.test(protocol ?? '') && hostname !== '' && /^\/?$/.test(pathname ?? '');
}

function queryIds(text: string): { create?: string; read?: string; list?: string } | undefined {
  const pairs = text.split(',').map((pair) => /^(create|read|list)=(\d{5,25})$/.exec(pair.trim()) ?? []);
  return pairs.every(([, name]) => name) ? Object.fromEntries(pairs.map(([, name, id]) => [name, id])) : undefined;
}
