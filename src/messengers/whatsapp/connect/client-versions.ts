/** The version of WhatsApp's client that we claim to be: WhatsApp rejects old ones. */
import { sql } from 'kysely';
import type { Database } from '../../../platform/database/connect.ts';
import type { Log } from '../../../platform/log/log.ts';
import { BUNDLED_VERSION, type ClientVersion } from '../client/open-socket.ts';

/** Shared by the sessions of a process. */
export interface ClientVersions {
  /** The version to connect with. The first call waits up to three seconds for WhatsApp's page. Never rejects. */
  choose(): Promise<ClientVersion>;
  /** WhatsApp has accepted a login with this version. Stored for other processes and later starts; never rejects. */
  recordAccepted(version: ClientVersion): Promise<void>;
  /** WhatsApp has rejected this version. Queries the page again; resolves to whether another version is known. Never rejects. */
  replace(version: ClientVersion): Promise<boolean>;
}

export interface VersionOptions {
  db: Database;
  log: Log;
  /** Set by the operator; takes precedence. */
  configured: ClientVersion | undefined;
  /** The page that names today's version. Undefined: none is queried. */
  pageUrl: string | undefined;
  onRejected(): void;
}

const PAGE_LIMIT_MS = 3_000;
/** Without these headers, WhatsApp serves another page. */
const LIKE_A_BROWSER = {
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
};
const REVISION = /\\?"client_revision\\?":\s*(\d+)/;
const LAST_UINT32 = 0xffff_ffff;

export function createClientVersions(options: VersionOptions): ClientVersions {
  const { db, log, configured, onRejected } = options;
  const rejected = new Set<string>();
  let known: Promise<ClientVersion[]> | undefined;
  let isAsking = false;
  let stored: string | undefined;

  /** Single flight: simultaneous calls share an answer. */
  function ask(): Promise<ClientVersion[]> {
    if (known && isAsking) return known;
    isAsking = true;
    known = findVersions(options).finally(() => (isAsking = false));
    return known;
  }

  /** The newest version that was not rejected, else the newest of all. */
  async function best(): Promise<ClientVersion> {
    const all = (await (known ?? ask())).toSorted(byAge);
    return all.findLast((version) => !rejected.has(nameOf(version))) ?? all.at(-1) ?? BUNDLED_VERSION;
  }

  return {
    choose: async () => configured ?? (await best()),
    async recordAccepted(version) {
      const name = nameOf(version);
      rejected.delete(name);
      if (stored === name) return;
      stored = name;
      try {
        await store(db, name);
      } catch (error) {
        stored = undefined;
        log.warn({ err: error, version: name }, 'the version of the WhatsApp client could not be stored');
      }
    },
    async replace(version) {
      const name = nameOf(version);
      rejected.add(name);
      onRejected();
      log.error(
        { version: name, isConfigured: configured !== undefined },
        'WhatsApp refuses this version of its client',
      );
      if (configured) return false;
      // Another account may have replaced it already. An older version is only used when there is no newer one.
      if (byAge(await best(), version) > 0) return true;
      await ask();
      return !rejected.has(nameOf(await best()));
    },
  };
}

async function findVersions({ db, log, configured, pageUrl }: VersionOptions): Promise<ClientVersion[]> {
  if (configured) return [configured];
  const found = await Promise.all([readStored(db, log), pageUrl === undefined ? undefined : readPage(pageUrl, log)]);
  return [BUNDLED_VERSION, ...found.filter((version) => version !== undefined)];
}

async function readPage(url: string, log: Log): Promise<ClientVersion | undefined> {
  try {
    const signal = AbortSignal.timeout(PAGE_LIMIT_MS);
    const response = await fetch(url, { headers: LIKE_A_BROWSER, redirect: 'error', signal });
    const revision = Number(REVISION.exec(await response.text())?.[1]);
    if (!(revision <= LAST_UINT32)) throw new Error(`the page (${response.status}) names no version`);
    return [BUNDLED_VERSION[0], BUNDLED_VERSION[1], revision];
  } catch (error) {
    log.info({ err: error }, 'WhatsApp does not say which version its client has today');
    return undefined;
  }
}

async function readStored(db: Database, log: Log): Promise<ClientVersion | undefined> {
  try {
    const { rows } = await sql<{ version: string }>`select version from whatsapp_version`.execute(db);
    return rows[0] && readVersion(rows[0].version);
  } catch (error) {
    log.warn({ err: error }, 'the stored version of the WhatsApp client could not be read');
    return undefined;
  }
}

async function store(db: Database, version: string): Promise<void> {
  await sql`
    insert into whatsapp_version (version) values (${version})
    on conflict (only_row) do update set version = excluded.version, let_in_at = campanile_now()`.execute(db);
}

function nameOf(version: ClientVersion): string {
  return version.join('.');
}

function readVersion(name: string): ClientVersion | undefined {
  const [first, second, third, ...more] = name.split('.').map(Number);
  if (first === undefined || second === undefined || third === undefined || more.length > 0) return undefined;
  return [first, second, third];
}

function byAge(one: ClientVersion, other: ClientVersion): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
