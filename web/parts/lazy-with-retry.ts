import { checkConnection, waitForConnection } from '../api/connection.ts';

/**
 * Loads a part of the dashboard once there is a connection. For `lazy`, which asks once and keeps what went wrong; and what failed half
 * way, styles among it, comes whole only with the page.
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
