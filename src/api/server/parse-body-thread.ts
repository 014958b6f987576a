/** The other side of `parse-big-body.ts`: parses bodies in a thread. */
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../platform/errors/errors.ts';
import { detachStrings } from './detach-strings.ts';
import { parseJsonBody } from './json-body.ts';
import type { BodyToParse, ParsedBody } from './parse-big-body.ts';

parentPort?.on('message', ({ bytes, bounds }: BodyToParse) => {
  const parsed = parse(Buffer.from(bytes), bounds);
  const moved = 'detached' in parsed ? parsed.detached.map((string) => string.bytes.buffer) : [];
  parentPort?.postMessage(parsed, moved);
});
parentPort?.postMessage('ready');

function parse(body: Buffer, bounds: BodyToParse['bounds']): ParsedBody {
  try {
    const root = { value: parseJsonBody(body, bounds) };
    return { root, detached: detachStrings(root) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    return { failure: { code, message, details } };
  }
}
