/** The types of each operation, derived from the contract that the service itself is held to. */
import type { z } from 'zod';
import type { DeclaredOperation } from '../../src/api/contract/contract.ts';
import { IDEMPOTENCY } from './idempotency.ts';

type NameOf<Path> = Path extends `/api/v1/${infer Name}` ? Name : never;
type DataOf<Operation extends DeclaredOperation> = Operation extends { answerType: '*/*' }
  ? Blob
  : z.output<Operation['data']>;

/** By path, without `/api/v1/`. */
export type Operations = {
  [Operation in DeclaredOperation as NameOf<Operation['path']>]: {
    body: z.input<Operation['body']>;
    data: DataOf<Operation>;
  };
};

export type Path = keyof Operations;

/** Whether a request may be repeated without a second effect: `keyed` means with an `Idempotency-Key`. */
export type Idempotency = 'always' | 'keyed' | 'never';

const BY_PATH: { readonly [P in Path]: Idempotency } = IDEMPOTENCY;

export function idempotencyOf(path: Path): Idempotency {
  return BY_PATH[path];
}
