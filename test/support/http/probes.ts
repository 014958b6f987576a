import { z } from 'zod';
import { defineOperations } from '../../../src/api/contract/define-operations.ts';
import { LongText, longText } from '../../../src/api/contract/long-text.ts';
import { writeCsv } from '../../../src/api/routes/csv.ts';
import { optional, text, withDefault, list } from '../../../src/api/contract/fields.ts';
import { ERROR_CODES, type ErrorCode } from '../../../src/platform/errors/error-codes.ts';
import { implement, type Operation } from '../../../src/api/operation.ts';

const PROBES = defineOperations('Sandbox', {
  echo: {
    path: '/api/v1/probe/echo',
    access: 'open',
    summary: 'Answers what it was sent',
    body: z.object({
      name: text(1, 10),
      note: optional(z.string()),
      count: withDefault(z.number().int().max(5), 3),
      kind: optional(z.enum(['a', 'b'])),
      ids: optional(z.array(z.number().int()).min(1).max(3)),
    }),
    data: z.object({
      name: z.string(),
      note: z.string().nullable(),
      count: z.number(),
      ids: z.array(z.number()).nullable(),
      address: z.string(),
    }),
    answerHeaders: { 'x-probe': 'Is set.' },
    requestHeaders: { 'idempotency-key': 'Is read.' },
  },
  do: {
    path: '/api/v1/probe/do',
    access: 'send',
    summary: 'Does something',
    data: z.object({ user_id: z.number() }),
    errors: Object.keys(ERROR_CODES) as ErrorCode[],
  },
  toil: {
    path: '/api/v1/probe/toil',
    access: 'read',
    summary: 'Does much',
  },
  upload: {
    path: '/api/v1/probe/upload',
    access: 'send',
    summary: 'Takes much',
    body: z.object({ image: z.string() }),
    data: z.object({ length: z.number() }),
    bodyLimitBytes: 2 * 1024 * 1024,
  },
  many: {
    path: '/api/v1/probe/many',
    access: 'read',
    summary: 'Takes many',
    body: z.object({ ids: list(z.int(), 500), other: list(z.int(), 500) }),
  },
  table: {
    path: '/api/v1/probe/table',
    access: 'open',
    summary: 'Answers a table',
    data: longText,
    answerType: 'text/csv; charset=utf-8',
  },
});

interface Behaviour {
  handle?: () => Promise<void>;
  uploading?: (image: string, userId: number) => Promise<void>;
  /** The pieces of the table. */
  writing?: () => AsyncIterable<string>;
}

/** Operations for tests of the server itself. */
export function probes(behaviour: Behaviour): Operation[] {
  return implement<typeof PROBES, Behaviour>(
    PROBES,
    {
      async echo(_behaviour, { body, address, setHeader, header }) {
        setHeader('x-probe', header('idempotency-key') ?? 'none');
        return { name: body.name, note: body.note ?? null, count: body.count, ids: body.ids ?? null, address };
      },
      async do({ handle }, { caller }) {
        await handle?.();
        return { userId: caller.userId };
      },
      toil: async () => ({}),
      many: async () => ({}),
      async upload({ uploading }, { body, caller }) {
        await uploading?.(body.image, caller.userId);
        return { length: body.image.length };
      },
      table: async ({ writing }) =>
        writing ? new LongText(writing()) : writeCsv(['a', 'b'], [{ a: 1, b: 2 }], (row) => row),
    },
    behaviour,
  );
}
