import { errorCodeOf } from '../errors/errors.ts';
import type { Log } from '../log/log.ts';
import { DatabaseClient, type PostgresAddress } from './connect.ts';

/** A success counts for so long. */
const TRUSTED_MS = 15_000;
const RETRY_MS = 1_000;
/** The server admits this process, but has no connection left. */
const TOO_MANY_CONNECTIONS = '53300';

/**
 * Returns a check that new connections can be made, with the settings that the pools use. Open connections survive a changed password, a
 * new certificate and a new pg_hba.conf, and hide them. Throws a DatabaseConnectError. It connects at most every 15 s, after a failure
 * every second; callers meanwhile share the result.
 */
export function checkNewConnections(address: PostgresAddress, { log }: { log: Log }): () => Promise<void> {
  let last = Promise.resolve();
  let nextMs = -Infinity;
  let isFailing = false;

  async function check() {
    try {
      await connectOnce(address);
      if (isFailing) log.info('new connections to the database are possible again');
      isFailing = false;
    } catch (error) {
      nextMs = performance.now() + RETRY_MS;
      if (!isFailing) log.error({ err: error }, 'no new connection to the database is possible');
      isFailing = true;
      throw error;
    }
  }

  return () => {
    if (performance.now() >= nextMs) {
      nextMs = performance.now() + TRUSTED_MS;
      last = check();
    }
    return last;
  };
}

/** Resolves once the server has admitted a new connection, or has none left; throws a DatabaseConnectError otherwise. */
export async function connectOnce(address: PostgresAddress): Promise<void> {
  const client = new DatabaseClient(address, { application_name: 'campanile health' });
  // A connection that is cut off says so by an event, too.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if (errorCodeOf(error) !== TOO_MANY_CONNECTIONS) throw error;
  } finally {
    await client.end();
  }
}
