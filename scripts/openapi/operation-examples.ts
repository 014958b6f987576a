import { readFileSync } from 'node:fs';

/** An answered request. `npm run docs` sends it to the service and records both. */
export interface OperationExample {
  request: unknown;
  answer: unknown;
}

const FILE = new URL('../../src/api/contract/examples.json', import.meta.url);

let examples: Readonly<Record<string, OperationExample>> | undefined;

/** Returns the example of an operation by its id; undefined for an operation that the contract does not have. */
export function findExample(operationId: string): OperationExample | undefined {
  examples ??= JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, OperationExample>;
  return examples[operationId];
}
