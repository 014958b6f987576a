import { expect, test } from 'vitest';
import { QueryRejectedError } from '../../../../src/messengers/whatsapp/client/errors.ts';
import { queryInBatches } from '../../../../src/messengers/whatsapp/send/query-in-batches.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Asks about so many, where a batch is refused with a code for any of these. */
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

test('5,000 are asked about a hundred at a time, each once', async () => {
  const { batches, answered, refused } = await ask(5_000, { most: 100 });
  expect(batches).toHaveLength(50);
  expect(new Set(batches.map(({ length }) => length))).toEqual(new Set([100]));
  expect({ answered, refused }).toEqual({ answered: upTo(5_000), refused: [] });
});

test('nobody is asked about when there is nobody', async () => {
  expect((await ask(0, { most: 50 })).batches).toEqual([]);
});

test.each([400, 404, 406, 410])(
  'whoever a batch is refused for with %i is found, and all others are answered',
  async (code) => {
    const { batches, answered, refused } = await ask(120, { most: 50, bad: [0, 77], code });
    expect(refused.toSorted()).toEqual([0, 77]);
    expect(answered).toEqual(upTo(120).filter((subject) => subject !== 0 && subject !== 77));
    // Three, and for each of the two at most two for every time that fifty can be halved.
    expect(batches.length).toBeLessThanOrEqual(3 + 2 * 2 * 6);
  },
);

test('where everybody is refused it is given up after a while, and whoever was not asked about alone is not blamed', async () => {
  const { batches, answered, refused } = await ask(5_000, { most: 50, bad: upTo(5_000) });
  expect(answered).toEqual([]);
  expect(refused.length).toBeLessThan(100);
  expect(batches.length).toBeLessThanOrEqual(200 + 5_000 / 50);
});

test.each([429, 463, 500, 503])('a batch that is refused with %i is not taken apart', async (code) => {
  await expect(ask(120, { most: 50, bad: [7], code })).rejects.toMatchObject({ code });
});
