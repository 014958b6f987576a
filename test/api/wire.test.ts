import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { listContracts } from '../../src/api/contract/contract.ts';
import { instant } from '../../src/api/contract/fields.ts';
import { LongList, longList } from '../../src/api/contract/long-list.ts';
import { LongText, longText } from '../../src/api/contract/long-text.ts';
import { fromWire, toCamelCase, toWire } from '../../src/api/wire.ts';

const post = z.object({
  campaign_id: z.number(),
  due_at: instant,
  closes_at: instant.nullable(),
  skipped: z.string().optional(),
  pinned_until: instant.nullable().optional(),
  nid: z.object({ _serialized: z.string() }),
  inviteLink: z.string(),
  labels: z.record(z.string(), z.string()),
  file_sizes: z.array(z.object({ byte_count: z.number() })),
});
const DUE = new Date('2026-12-01T09:00:00Z');
const FIXED = { nid: { _serialized: '1@g.us' }, inviteLink: 'x', labels: { snake_case: 'a', camelCase: 'b' } };
const POST = { ...FIXED, campaignId: 1, dueAt: DUE, closesAt: null, fileSizes: [{ byteCount: 2 }] };

test('answers have the names of the wire; keys of records and names without inner underscores stay', () => {
  expect(JSON.parse(JSON.stringify(toWire(post, POST)))).toEqual({
    ...FIXED,
    campaign_id: 1,
    due_at: '2026-12-01T09:00:00.000Z',
    closes_at: null,
    file_sizes: [{ byte_count: 2 }],
  });
});

test('a field without a value is null or absent, as the schema has it', () => {
  const nothing = { ...POST, closesAt: undefined, skipped: null, pinnedUntil: undefined };
  expect(toWire(post, nothing)).toMatchObject({ closes_at: null });
  expect(Object.keys(toWire(post, nothing))).not.toEqual(expect.arrayContaining(['skipped', 'pinned_until']));
  expect(toWire(post, { ...POST, pinnedUntil: null })).toMatchObject({ pinned_until: null });
});

test('a field of the contract that is missing is a type error', () => {
  const { dueAt: _, ...late } = POST;
  // @ts-expect-error `due_at` is required
  expect(toWire(post, late)).not.toHaveProperty('due_at');
  // @ts-expect-error our names, not those of the wire
  expect(toWire(z.object({ run_id: z.number() }), { run_id: 1 })).toEqual({});
});

test('nothing that the contract does not declare leaves, at whatever depth', () => {
  const secret = { passwordHash: 'leak', password_hash: 'leak' };
  const row = { ...POST, ...secret, nid: { ...FIXED.nid, ...secret }, fileSizes: [{ byteCount: 2, ...secret }] };
  const either = z.discriminatedUnion('is_schedule', [
    z.object({ is_schedule: z.literal(false), post }),
    z.object({ is_schedule: z.literal(true), posts: longList(post) }),
  ]);
  const posts = new LongList(() => [row]);
  const answers = [
    toWire(post, row),
    toWire(either, { isSchedule: false, post: row, ...secret }),
    toWire(either, { isSchedule: true, posts, ...secret }),
    toWire(z.object({}), secret as never),
  ];
  expect(JSON.stringify(answers)).not.toContain('leak');
  expect(JSON.parse(JSON.stringify(answers[2]))).toMatchObject({ posts: [{ campaign_id: 1 }] });
  expect(() => toWire(z.union([post, z.string()]), row)).toThrow('discriminated unions only');
});

test('long texts are sent as they are', () => {
  const text = new LongText((async function* () {})());
  expect(toWire(z.object({ long_text: longText }), { longText: text })).toEqual({ long_text: text });
});

test('bodies have our names, and absent fields stay absent', () => {
  const body = z.object({ run_id: z.int().optional(), reply_to: z.object({ campaign_id: z.guid() }).nullable() });
  expect(fromWire(body, { reply_to: null })).toEqual({ replyTo: null });
  const replyTo = { campaignId: '5f0c2c5e-0f3c-4d6b-9a55-6c1d1c3a7f10' };
  expect(fromWire(body, { run_id: 1, reply_to: { campaign_id: replyTo.campaignId } })).toEqual({ runId: 1, replyTo });
});

test('every answer of the contract can be converted, and no object has two fields of one name', () => {
  for (const { data, body } of listContracts()) {
    expect(() => toWire(data, undefined as never)).not.toThrow();
    expect(() => fromWire(body, undefined)).not.toThrow();
    for (const { shape } of objectsIn(data)) {
      const names = Object.keys(shape).map(toCamelCase);
      expect(new Set(names).size).toBe(names.length);
    }
  }
});

function objectsIn(schema: z.core.$ZodType): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema, ...Object.values(schema.shape).flatMap(objectsIn)];
  if (schema instanceof z.ZodArray) return objectsIn(schema.element);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return objectsIn(schema.unwrap());
  return schema instanceof z.ZodUnion ? schema.options.flatMap(objectsIn) : [];
}

/** A schema, and a value of it with the names of the wire. */
interface Sample {
  schema: z.ZodType;
  value: unknown;
}

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,3}(_[a-z][a-z0-9]{0,3}){0,2}$/);
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4 },
    fc.string().map((value) => ({ schema: z.string(), value })),
    fc.integer().map((value) => ({ schema: z.number().nullable(), value })),
    fc.array(tie('sample'), { maxLength: 1 }).map(([one]) => ({
      schema: z.array(one?.schema ?? z.string()),
      value: one ? [one.value, one.value] : [],
    })),
    fc
      .uniqueArray(fc.tuple(name, tie('sample')), { maxLength: 4, selector: ([key]) => toCamelCase(key) })
      .map((fields) => ({
        schema: z.object(Object.fromEntries(fields.map(([key, one]) => [key, one.schema]))).optional(),
        value: Object.fromEntries(fields.map(([key, one]) => [key, one.value])),
      })),
  ),
}));

test('an answer made of a converted body is that body', () => {
  fc.assert(
    fc.property(sample, ({ schema, value }) => {
      const ours = fromWire(schema, value);
      expect(toWire(schema, ours as never)).toEqual(value);
      expect(JSON.stringify(ours)).not.toMatch(/[a-z0-9]_[a-z0-9]+":/);
    }),
  );
});
