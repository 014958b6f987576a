import type { z } from 'zod';
import { expectTypeOf, test } from 'vitest';
import type { EventData, FileBody, Operations } from '../../clients/typescript/types.ts';
import type { Contract } from '../../src/api/contract/contract.ts';
import type { WEBHOOK_EVENTS } from '../../src/api/contract/webhook-events.ts';

/** Any operation of the contract, with its own types. */
type DeclaredOperation = { [R in keyof Contract]: Contract[R][keyof Contract[R]] }[keyof Contract];

/** The types that the contract's schemas have. */
type Declared = {
  [One in DeclaredOperation as One['path'] extends `/api/v1/${infer Name}` ? Name : never]: {
    body: One extends { takesFile: true } ? FileBody : z.input<One['body']>;
    data: One extends { answerType: '*/*' } ? Blob : z.output<One['data']>;
  };
};
type DeclaredEvents = { [Type in keyof typeof WEBHOOK_EVENTS]: z.output<(typeof WEBHOOK_EVENTS)[Type]['data']> };

/** The keys whose types cannot be assigned to each other. */
type Differing<A, B extends Record<keyof A, unknown>> = {
  [K in keyof A]: [A[K], B[K]] extends [B[K], A[K]] ? never : K;
}[keyof A];

/** `tsc`, which `npm run check` runs, compares them. */
test('the types of the TypeScript client are those of the contract', () => {
  expectTypeOf<keyof Operations>().toEqualTypeOf<keyof Declared>();
  expectTypeOf<Differing<Operations, Declared>>().toBeNever();
  expectTypeOf<keyof EventData>().toEqualTypeOf<keyof DeclaredEvents>();
  expectTypeOf<Differing<EventData, DeclaredEvents>>().toBeNever();
});
