import type { FastifyInstance } from 'fastify';

const IDLE_CHECK_MS = 50;

/**
 * Graceful shutdown: `close()` finishes the requests in flight within `timeoutMs`, and then aborts the rest. Idle connections close at
 * once. Returns a function that says whether closing has begun.
 */
export function installGracefulShutdown(server: FastifyInstance, timeoutMs: number): () => boolean {
  let isStopping = false;
  let cut: NodeJS.Timeout | undefined;
  let reap: NodeJS.Timeout | undefined;

  server.addHook('preClose', (done) => {
    isStopping = true;
    cut = setTimeout(() => server.server.closeAllConnections(), timeoutMs);
    // A connection whose request was in hand becomes idle later, and would be kept alive.
    reap = setInterval(() => server.server.closeIdleConnections(), IDLE_CHECK_MS);
    done();
  });
  server.addHook('onClose', (_instance, done) => {
    clearTimeout(cut);
    clearInterval(reap);
    done();
  });
  return () => isStopping;
}
