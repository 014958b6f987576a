import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { API_HEADERS, JSON_TYPE } from './answer.ts';
import { failureText, plainFailure, type FailedAnswer } from './envelope.ts';

/** How long a client may take to read the error before its connection is closed. */
const LINGER_MS = 2_000;

/** Handles the requests that Node would answer by itself without an envelope, or not at all. */
export function handleRawHttpErrors(server: Server): void {
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    sendAndClose(socket, plainFailure('request_unreadable', 'This service is no proxy'));
  });
}

/** Answers errors of Node's HTTP parser, which Fastify never sees, in the envelope. Then closes the connection. */
export function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy();
    return;
  }
  sendAndClose(socket, answerTo(error));
}

/** Node no longer keeps account of such a connection: a client that kept its half open would keep the server from closing. */
function sendAndClose(socket: Duplex, answer: FailedAnswer): void {
  socket.end(rawAnswer(answer));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function answerTo(error: NodeJS.ErrnoException): FailedAnswer {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return plainFailure('body_too_slow', 'The request took too long to arrive');
    case 'HPE_HEADER_OVERFLOW':
      return plainFailure('headers_too_long', 'The headers are too long');
    default:
      return plainFailure('request_unreadable', 'The request is not valid HTTP');
  }
}

/** A second answer would be read as a part of the first. Node keeps the running response in a property of the socket. */
function hasBegunToAnswer(socket: Duplex): boolean {
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
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(API_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
