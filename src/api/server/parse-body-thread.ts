/** The other side of `parse-big-body.ts`: parses bodies in a thread. */
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../platform/errors/errors.ts';
import { parseJsonBody } from './json-body.ts';
import type { BodyToParse, ParsedBody } from './parse-big-body.ts';

parentPort?.on('message', ({ bytes, bounds }: BodyToParse) => {
  parentPort?.postMessage(parse(Buffer.from(bytes), bounds));
});
parentPort?.postMessage('ready');

function parse(body: Buffer, bounds: BodyToParse['bounds']): ParsedBody {
  try {
    return { value: parseJsonBody(body, bounds) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    return { failure: { code, message, details } };
  }
}
