import { checkConnection, waitForConnection } from '../api/connection.ts';

/** A page that has just been loaded again, and still lacks a file, gains nothing by another time. */
const LOADED_MS = 30_000;

/**
 * Loads a lazy component once there is a connection. `React.lazy` caches a failure, half-loaded styles need a new page, and the files of an
 * earlier version are gone: where a file does not come the page reloads. Rejects if it has just done so.
 */
export function lazyWithRetry<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    await waitForConnection();
    try {
      return await load();
    } catch (error) {
      if ((await checkConnection()) && isReloaded()) throw error;
      await waitForConnection();
      location.reload();
      return new Promise(() => undefined);
    }
  };
}

function isReloaded(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' && performance.now() < LOADED_MS;
}
