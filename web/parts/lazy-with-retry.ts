import { checkConnection, waitForConnection } from '../api/connection.ts';

/**
 * Loads a lazy component once there is a connection. `React.lazy` caches a failure, and half-loaded styles need a new page: after a lost
 * connection the page reloads.
 */
export function lazyWithRetry<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    await waitForConnection();
    try {
      return await load();
    } catch (error) {
      if (await checkConnection()) throw error;
      await waitForConnection();
      location.reload();
      return new Promise(() => undefined);
    }
  };
}
