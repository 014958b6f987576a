import { readFileSync } from 'node:fs';

const FILE = new URL('../../src/api/contract/examples.json', import.meta.url);

let examples: Readonly<Record<string, unknown>> | undefined;

/** Returns the body of an answered request of an operation, by its id: `npm run docs` sends and records it. Undefined for an unknown one. */
export function findExample(operationId: string): unknown {
  examples ??= JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;
  return examples[operationId];
}
