import { IDEMPOTENCY } from './idempotency.ts';
import type { Operations } from './types.ts';

export type { Operations } from './types.ts';

/** The path of an operation, without `/api/v1/`. */
export type Path = keyof Operations;

/** Whether a request may be repeated without a second effect: `keyed` means with an `Idempotency-Key`. */
export type Idempotency = 'always' | 'keyed' | 'never';

const BY_PATH: { readonly [P in Path]: Idempotency } = IDEMPOTENCY;

export function idempotencyOf(path: Path): Idempotency {
  return BY_PATH[path];
}
