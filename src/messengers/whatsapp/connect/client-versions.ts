/** The version of WhatsApp's client that we claim to be: WhatsApp rejects old ones. */
import { execute, readValue, type Database } from '../../../platform/database/statements.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { PageReader } from '../../../platform/http-client/safe-http-client.ts';
import type { ClientVersion } from '../client/engine.ts';
import { PINNED_VERSION } from './pinned-version.ts';
import { readVersionPages, type VersionPage } from './version-pages.ts';

/** Shared by the sessions of a process. */
export type ClientVersions = ReturnType<typeof createClientVersions>;

export interface VersionOptions {
  db: Database;
  log: Log;
  /** Set by the operator; takes precedence. */
  configured: ClientVersion | undefined;
  /** For the pages. Undefined: none is queried. */
  http: PageReader | undefined;
  /** The pages that name today's version. */
  pages: readonly VersionPage[];
  /** How long their answers are used, in milliseconds. */
  askEveryMs: number;
  onRejected(): void;
}

export function createClientVersions(options: VersionOptions) {
  const { db, log, configured, askEveryMs, onRejected } = options;
  const rejected = new Set<string>();
  let known: Promise<ClientVersion[]> | undefined;
  let isAsking = false;
  let askedAtMs = -Infinity;
  let stored: string | undefined;
  let lastEnd: string | undefined;

  /** Single flight: simultaneous calls share an answer. */
  function ask(): Promise<ClientVersion[]> {
    if (known && isAsking) return known;
    isAsking = true;
    askedAtMs = performance.now();
    known = findVersions(options).finally(() => (isAsking = false));
    return known;
  }

  /** The newest version that was not rejected, else the newest of all. */
  async function best(): Promise<ClientVersion> {
    const isFresh = performance.now() - askedAtMs < askEveryMs;
    const all = (await (known && isFresh ? known : ask())).toSorted(byAge);
    return all.findLast((version) => !rejected.has(nameOf(version))) ?? all.at(-1) ?? PINNED_VERSION;
  }

  async function tryToStore(version: string, endsAt?: Date): Promise<boolean> {
    try {
      await store(db, version, endsAt);
      return true;
    } catch (error) {
      log.warn({ err: error, version }, 'the version of the WhatsApp client could not be stored');
      return false;
    }
  }

  return {
    /** The version to connect with. Once a day a call waits up to three seconds for the pages that name it. Never rejects. */
    choose: async () => configured ?? (await best()),
    /** WhatsApp has accepted a login with this version. Stored for other processes and later starts; never rejects. */
    async recordAccepted(version: ClientVersion) {
      const name = nameOf(version);
      rejected.delete(name);
      if (stored === name) return;
      stored = name;
      if (!(await tryToStore(name))) stored = undefined;
    },
    /** WhatsApp has told until when it takes this version, with which an account is logged in. Never rejects. */
    async recordEnd(version: ClientVersion, endsAt: Date) {
      const told = `${nameOf(version)} ${endsAt.toISOString()}`;
      if (lastEnd === told) return;
      lastEnd = told;
      if (!(await tryToStore(nameOf(version), endsAt))) lastEnd = undefined;
    },
    /** WhatsApp has rejected this version. Queries the pages again; resolves to whether another version is known. Never rejects. */
    async replace(version: ClientVersion) {
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

async function findVersions({ db, log, configured, http, pages }: VersionOptions): Promise<ClientVersion[]> {
  if (configured) return [configured];
  const [stored, named] = await Promise.all([readStored(db, log), http ? readVersionPages(http, pages, log) : []]);
  return [PINNED_VERSION, ...(stored ? [stored] : []), ...named];
}

async function readStored(db: Database, log: Log): Promise<ClientVersion | undefined> {
  try {
    const version = await readValue<string>(db)`select version from whatsapp_version`;
    return version === undefined ? undefined : readVersion(version);
  } catch (error) {
    log.warn({ err: error }, 'the stored version of the WhatsApp client could not be read');
    return undefined;
  }
}

async function store(db: Database, version: string, endsAt: Date | undefined): Promise<void> {
  await execute(db)`
    insert into whatsapp_version as w (version, ends_at) values (${version}, ${endsAt ?? null})
    on conflict (only_row) do update
    set version = excluded.version,
        let_in_at = case when w.version = excluded.version then w.let_in_at else campanile_now() end,
        ends_at = case when w.version = excluded.version then coalesce(excluded.ends_at, w.ends_at) else excluded.ends_at end`;
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
