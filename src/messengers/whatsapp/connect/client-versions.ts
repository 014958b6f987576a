/** Which version of WhatsApp's client to say that we are: WhatsApp refuses those that have become old. */
import { sql } from 'kysely';
import type { Database } from '../../../platform/database/connect.ts';
import type { Log } from '../../../platform/log/log.ts';
import { BUNDLED_VERSION, type ClientVersion } from '../client/open-socket.ts';

/** What the sessions of a process know of versions. */
export interface ClientVersions {
  /** The one to connect with. The first time it waits until WhatsApp's page was asked, three seconds at most. Never rejects. */
  choose(): Promise<ClientVersion>;
  /** WhatsApp has let an account in with it. Is remembered, also for other processes and after a restart; never rejects. */
  recordAccepted(version: ClientVersion): Promise<void>;
  /** WhatsApp has refused it, which is logged. Asks anew; resolves to whether there is one now that was not refused. Never rejects. */
  replace(version: ClientVersion): Promise<boolean>;
}

export interface VersionOptions {
  db: Database;
  log: Log;
  /** The operator's wish, before all others. */
  configured: ClientVersion | undefined;
  /** The page that names the version of today. Undefined: nobody is asked. */
  pageUrl: string | undefined;
  onRejected(): void;
}

const PAGE_LIMIT_MS = 3_000;
/** With less, WhatsApp shows another page. */
const LIKE_A_BROWSER = {
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
};
const REVISION = /\\?"client_revision\\?":\s*(\d+)/;
const LAST_UINT32 = 0xffff_ffff;

export function createClientVersions(options: VersionOptions): ClientVersions {
  const { db, log, configured, onRejected } = options;
  const refused = new Set<string>();
  let known: Promise<ClientVersion[]> | undefined;
  let isAsking = false;
  let stored: string | undefined;

  /** Those who ask at the same time share an answer. */
  function ask(): Promise<ClientVersion[]> {
    if (known && isAsking) return known;
    isAsking = true;
    known = findVersions(options).finally(() => (isAsking = false));
    return known;
  }

  /** The newest that was not refused; of those that all were, the newest. */
  async function best(): Promise<ClientVersion> {
    const all = (await (known ?? ask())).toSorted(byAge);
    return all.findLast((version) => !refused.has(nameOf(version))) ?? all.at(-1) ?? BUNDLED_VERSION;
  }

  return {
    choose: async () => configured ?? (await best()),
    async recordAccepted(version) {
      const name = nameOf(version);
      refused.delete(name);
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
      refused.add(name);
      onRejected();
      log.error(
        { version: name, isConfigured: configured !== undefined },
        'WhatsApp refuses this version of its client',
      );
      if (configured) return false;
      // Another account may have had it replaced already. An older one is tried only when nobody knows better.
      if (byAge(await best(), version) > 0) return true;
      await ask();
      return !refused.has(nameOf(await best()));
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
