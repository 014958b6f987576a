import { expect, test } from 'vitest';
import { QueryRejectedError } from '../../../../src/messengers/whatsapp/client/errors.ts';
import { queryInBatches } from '../../../../src/messengers/whatsapp/send/query-in-batches.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Queries `count` subjects; a batch with one of `bad` is rejected with a code. */
async function ask(count: number, { most, bad = [], code = 406 }: { most: number; bad?: number[]; code?: number }) {
  const batches: number[][] = [];
  const answered: number[] = [];
  const { rejected: refused } = await queryInBatches(upTo(count), {
    most,
    ask(batch) {
      batches.push([...batch]);
      if (batch.some((subject) => bad.includes(subject)))
        return Promise.reject(new QueryRejectedError(code, 'rejected'));
      answered.push(...batch);
      return Promise.resolve();
    },
  });
  return { batches, answered: answered.toSorted((one, other) => one - other), refused };
}

test('queries 5,000 subjects once each, a hundred at a time', async () => {
  const { batches, answered, refused } = await ask(5_000, { most: 100 });
  expect(batches).toHaveLength(50);
  expect(new Set(batches.map(({ length }) => length))).toEqual(new Set([100]));
  expect({ answered, refused }).toEqual({ answered: upTo(5_000), refused: [] });
});

test('queries nothing for an empty list', async () => {
  expect((await ask(0, { most: 50 })).batches).toEqual([]);
});

test.each([400, 404, 406, 410])(
  'finds the subjects because of which a batch is rejected with %i, and queries all others',
  async (code) => {
    const { batches, answered, refused } = await ask(120, { most: 50, bad: [0, 77], code });
    expect(refused.toSorted()).toEqual([0, 77]);
    expect(answered).toEqual(upTo(120).filter((subject) => subject !== 0 && subject !== 77));
    // Three batches, and for each of the two bad subjects at most two for each bisection of fifty.
    expect(batches.length).toBeLessThanOrEqual(3 + 2 * 2 * 6);
  },
);

test('gives up after many rejections, without blaming subjects that were not queried alone', async () => {
  const { batches, answered, refused } = await ask(5_000, { most: 50, bad: upTo(5_000) });
  expect(answered).toEqual([]);
  expect(refused.length).toBeLessThan(100);
  expect(batches.length).toBeLessThanOrEqual(200 + 5_000 / 50);
});

test.each([429, 463, 500, 503])('does not split a batch that is rejected with %i', async (code) => {
  await expect(ask(120, { most: 50, bad: [7], code })).rejects.toMatchObject({ code });
});
