import type { FastifyRequest } from 'fastify';
import { OverloadError, errorCodeOf } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import { failedAnswer, type FailedAnswer } from './envelope.ts';
import { nameText } from './typed-text.ts';

/** The answer to a request whose handling threw; what failed for our fault is written down, under the request's id. */
export type ErrorToAnswer = (error: unknown, request: FastifyRequest) => FailedAnswer;

/** `isDiskFull`: whether the disk that the database is on is known to be. */
export function createErrorHandler({ log, isDiskFull }: { log: Log; isDiskFull: () => boolean }): ErrorToAnswer {
  const failureLog = createFailureLog(log);
  return (error, request) => {
    const answer = failedAnswer(error, isDiskFull());
    failureLog(answer.status, error, request);
    return request.hasText ? nameText(answer) : answer;
  };
}

/** Whether a streamed answer ended because its client closed the connection before the first piece. */
function isClientGone(error: unknown, { socket }: FastifyRequest): boolean {
  return errorCodeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE' && socket.destroyed;
}

/** While the database is away or the server overloaded every request fails alike: a line for each would be load itself. */
const PAUSE_MS = 1_000;

/** Logs every defect, and clients that left for debugging. Logs at most one postponed request a second, with the number of those left out; overload is logged elsewhere. */
function createFailureLog(log: Log): (status: number, error: unknown, request: FastifyRequest) => void {
  let quietUntilMs = -Infinity;
  let leftOut = 0;
  return (status, error, request) => {
    const context = () => ({ err: error, requestId: request.id, path: request.url.slice(0, 200) });
    if (isClientGone(error, request)) return log.debug(context(), 'a client left before its answer');
    if (status === 500) log.error(context(), 'a request failed');
    if (status !== 503 || error instanceof OverloadError) return;
    const now = performance.now();
    if (now < quietUntilMs) {
      leftOut += 1;
      return;
    }
    log.warn({ ...context(), leftOut }, 'a request was put off');
    quietUntilMs = now + PAUSE_MS;
    leftOut = 0;
  };
}
