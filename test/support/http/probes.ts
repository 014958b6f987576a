import { z } from 'zod';
import { nothing, optional, text, withDefault } from '../../../src/api/contract/fields.ts';
import { defineOperation, type Operation } from '../../../src/api/operation.ts';

/** Operations that do what a test wants to see the server cope with. */
export function probes(behaviour: {
  handle?: () => Promise<void>;
  uploading?: (image: string, userId: number) => Promise<void>;
}): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/probe/echo',
      access: 'open',
      tag: 'Sandbox',
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
      errors: [],
      async handle({ body, address, setHeader, header }) {
        setHeader('x-probe', header('idempotency-key') ?? 'none');
        return { name: body.name, note: body.note ?? null, count: body.count, ids: body.ids ?? null, address };
      },
    }),
    defineOperation({
      path: '/api/v1/probe/do',
      access: 'bearer',
      scope: 'send',
      tag: 'Sandbox',
      summary: 'Does something',
      body: nothing,
      data: z.object({ user_id: z.number() }),
      errors: [],
      async handle({ caller }) {
        await behaviour.handle?.();
        return { user_id: caller.userId };
      },
    }),
    defineOperation({
      path: '/api/v1/probe/toil',
      access: 'bearer',
      tag: 'Sandbox',
      summary: 'Does much',
      body: nothing,
      data: nothing,
      scope: 'read',
      shedFirst: true,
      errors: [],
      handle: async () => ({}),
    }),
    defineOperation({
      path: '/api/v1/probe/upload',
      access: 'bearer',
      scope: 'send',
      tag: 'Sandbox',
      summary: 'Takes much',
      body: z.object({ image: z.string() }),
      data: z.object({ length: z.number() }),
      bodyLimitBytes: 2 * 1024 * 1024,
      errors: [],
      async handle({ body, caller }) {
        await behaviour.uploading?.(body.image, caller.userId);
        return { length: body.image.length };
      },
    }),
    defineOperation({
      path: '/api/v1/probe/table',
      access: 'open',
      tag: 'Sandbox',
      summary: 'Answers a table',
      body: nothing,
      data: z.string(),
      answerType: 'text/csv; charset=utf-8',
      errors: [],
      handle: async () => 'a,b\r\n1,2\r\n',
    }),
  ];
}
