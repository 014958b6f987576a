import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { failureText, plainFailure, type FailedAnswer } from './envelope.ts';

/** Answers, in the envelope, to what Node's HTTP parser refuses and Fastify never sees; then ends the connection. */
export function answerUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy();
    return;
  }
  socket.end(rawAnswer(answerTo(error)));
}

function answerTo(error: NodeJS.ErrnoException): FailedAnswer {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return plainFailure(408, 'The request took too long to arrive');
    case 'HPE_HEADER_OVERFLOW':
      return plainFailure(431, 'The headers are too long');
    default:
      return plainFailure(400, 'The request is not valid HTTP');
  }
}

/** A second answer within the first would be taken for a part of it. Node keeps what is under way in a property of the socket. */
function hasBegunToAnswer(socket: Socket): boolean {
  const underWay: unknown = Reflect.get(socket, '_httpMessage');
  return (
    typeof underWay === 'object' && underWay !== null && 'headersSent' in underWay && underWay.headersSent === true
  );
}

function rawAnswer(answer: FailedAnswer): string {
  const requestId = randomUUID();
  const body = failureText(answer, requestId);
  return [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
