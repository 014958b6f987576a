import { expect, test } from 'vitest';
import { closeReasonOf, rejecting, rejectionCodeOf } from '../../../../src/messengers/whatsapp/client/errors.ts';

/** An error of the library. */
function thrown(statusCode: number, data?: unknown): Error {
  return Object.assign(new Error('as thrown'), { output: { statusCode }, data });
}

async function codeAfter(cause: unknown): Promise<number | undefined> {
  try {
    await rejecting(Promise.reject(cause));
  } catch (error) {
    return rejectionCodeOf(error);
  }
  throw new Error('nothing was thrown');
}

test('reads the code of a rejected query, and treats no other error as a rejection', async () => {
  expect(await codeAfter(thrown(500, 403))).toBe(403);
  expect(await codeAfter(thrown(404, { extensions: { error_code: 404 } }))).toBe(404);
  expect(await codeAfter(thrown(404, { tag: 'iq', attrs: {} }))).toBe(404);
  for (const other of [thrown(428), 1006, new Error('x'), undefined, null, 'x'])
    expect(await codeAfter(other)).toBeUndefined();
});

test('passes an error on that is no answer', async () => {
  const error = thrown(428);
  await expect(rejecting(Promise.reject(error))).rejects.toBe(error);
});

test('reads why a connection ended', () => {
  expect(closeReasonOf(thrown(402, { reason: '402', expire: '60' }))).toEqual({
    code: 402,
    attrs: { reason: '402', expire: '60' },
  });
  expect(closeReasonOf(thrown(428))).toEqual({ code: 428, attrs: {} });
  for (const other of [new Error('x'), undefined, null]) expect(closeReasonOf(other).code).toBeUndefined();
});
