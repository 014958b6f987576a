import type { PageReader } from '../../../platform/http-client/safe-http-client.ts';
import type { Database } from '../../../platform/database/statements.ts';
import type { Log } from '../../../platform/log/log.ts';
import { createEngine } from '../client/create-engine.ts';
import type { SignatureDoubt } from '../client/engine.ts';
import type { WhatsAppCondition } from './conditions.ts';
import { createClientVersions } from './client-versions.ts';
import { VERSION_PAGES, type VersionPage } from './version-pages.ts';

export interface ClientOptions {
  db: Database;
  log: Log;
  /** Undefined: WhatsApp's own server. */
  url: string | undefined;
  /** The key that signs the certificates of that server, 32 bytes. Undefined: WhatsApp's. */
  rootKey: Buffer | undefined;
  /** If true, a server or a phone with an invalid signature is rejected; with a `rootKey` always. Default is `false`. */
  rejectsForgeries?: boolean;
  /** The version of WhatsApp's client to claim to be. Undefined: the newest that is known. */
  version?: [number, number, number] | undefined;
  /** For the pages that name today's version. Undefined: none is queried. */
  http?: PageReader | undefined;
  /** Default is WhatsApp's and Facebook's own, and none if `url` is set. */
  versionPages?: readonly VersionPage[] | undefined;
  /** How long the answers of these pages are used, in milliseconds. Default is a day. */
  askEveryMs?: number | undefined;
  /** Called for what an operator should look into. */
  onAlarm?: ((alarm: WhatsAppAlarm) => void) | undefined;
  onCondition?: ((condition: WhatsAppCondition) => void) | undefined;
}

export type WhatsAppAlarm =
  /** WhatsApp has refused a connection because of the version of the client. */
  | 'version_refused'
  /** WhatsApp knows other devices in a group than a post was encrypted for. */
  | 'devices_missed'
  /** A certificate of WhatsApp, or the identity that a user's phone signed, has an invalid signature. */
  | SignatureDoubt;

const ASK_EVERY_MS = 24 * 60 * 60_000;

export type LoadedClient = ReturnType<typeof loadClient>;

/** Prepares the client library for the process, and the versions that it can claim to be. */
export function loadClient(options: ClientOptions) {
  const { log, url, rootKey, rejectsForgeries = false, onAlarm } = options;
  const engine = createEngine();
  const isEnforced = rootKey !== undefined || rejectsForgeries;
  engine.prepare(log, {
    rootKey,
    isEnforced,
    onDoubt(doubt) {
      log.warn(
        { doubt, isRefused: isEnforced },
        'a signature of WhatsApp, or of a phone that is linked, does not hold',
      );
      onAlarm?.(doubt);
    },
  });
  const versions = createClientVersions({
    db: options.db,
    log,
    configured: options.version,
    http: options.http,
    pages: options.versionPages ?? (url === undefined ? VERSION_PAGES : []),
    askEveryMs: options.askEveryMs ?? ASK_EVERY_MS,
    onRejected: () => onAlarm?.('version_refused'),
  });
  return { engine, versions };
}
