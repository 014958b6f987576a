import type { FastifyInstance } from 'fastify';

const IDLE_CHECK_MS = 50;

/**
 * Makes `close()` finish the requests in hand, `timeoutMs` milliseconds at most, and cut what is left then; connections close as
 * soon as they are idle. Returns whether closing has begun.
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
