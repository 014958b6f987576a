import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeFailure, toOutcomeUnknown } from '../../../src/platform/errors/failures.ts';
import { classifyResult, MAX_ATTEMPTS } from '../../../src/sending/deliveries/outcome.ts';

const busy = { kind: 'refused', reason: 'busy', final: false } as const;
const gone = { kind: 'refused', reason: 'The group is gone', final: true } as const;
const cut = { kind: 'unknown', reason: 'the line was cut' } as const;
const tried = (attempts: number, uncertain = false) => ({ attempts, uncertain });

describe('a passing failure', () => {
  test('is retried with exponential backoff and jitter, up to 15 minutes', () => {
    const waits = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, attempts) =>
      classifyResult(busy, tried(attempts), () => 0.5),
    );
    expect(waits.map((outcome) => outcome.kind === 'retry' && outcome.waitMs)).toEqual([
      2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000,
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: MAX_ATTEMPTS - 2 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, random) => {
          const outcome = classifyResult(busy, tried(attempts), () => random);
          const middle = Math.min(2_000 * 2 ** attempts, 15 * 60_000);
          expect(outcome).toMatchObject({ kind: 'retry', reason: 'busy', uncertain: false });
          if (outcome.kind !== 'retry') return;
          expect(outcome.waitMs).toBeGreaterThanOrEqual(middle / 2);
          expect(outcome.waitMs).toBeLessThanOrEqual(middle * 1.5);
        },
      ),
    );
  });

  test('is final at the last attempt, with its reason', () => {
    expect(classifyResult(busy, tried(MAX_ATTEMPTS - 2))).toMatchObject({ kind: 'retry' });
    expect(classifyResult(busy, tried(MAX_ATTEMPTS - 1))).toMatchObject({
      kind: 'failed',
      reason: 'busy',
      uncertain: false,
    });
  });
});

test('fails at once on a final rejection', () => {
  expect(classifyResult(gone, tried(0))).toMatchObject({
    kind: 'failed',
    reason: 'The group is gone',
    uncertain: false,
  });
});

test('counts no attempt of an offline account, however often', () => {
  const offline = { kind: 'offline', reason: 'away', cooldownMs: 5_000 } as const;
  expect(classifyResult(offline, tried(MAX_ATTEMPTS - 1))).toEqual({ kind: 'snooze', cooldownMs: 5_000 });
});

test('retries a post that cannot leave yet, without counting an attempt', () => {
  const later = { kind: 'later', reason: 'its file is being uploaded', waitMs: 1_000 } as const;
  expect(classifyResult(later, tried(MAX_ATTEMPTS - 1))).toEqual({
    kind: 'retry',
    waitMs: 1_000,
    reason: 'its file is being uploaded',
    uncertain: false,
    tries: 0,
  });
});

describe('a post that may have left', () => {
  test('is retried as uncertain, and its last failure is outcome_unknown', () => {
    expect(classifyResult(cut, tried(0))).toMatchObject({ kind: 'retry', uncertain: true });
    expect(classifyResult(cut, tried(MAX_ATTEMPTS - 1))).toEqual({
      kind: 'failed',
      reason: 'outcome_unknown: the line was cut',
      code: 'outcome_unknown',
      params: { cause: 'other', text: 'the line was cut' },
      uncertain: true,
    });
  });

  test('stays outcome_unknown when it is then rejected', () => {
    expect(classifyResult(gone, tried(1, true))).toEqual({
      kind: 'failed',
      reason: 'outcome_unknown: The group is gone',
      code: 'outcome_unknown',
      params: { cause: 'other', text: 'The group is gone' },
      refusal: 'The group is gone',
      uncertain: true,
      isUnsent: true,
    });
    const notFound = { ...gone, ...toOutcomeUnknown(describeFailure('not_found')) };
    expect(notFound.reason).toBe('outcome_unknown: it was not found among the recent posts');
    expect(classifyResult(notFound, tried(1, true))).toMatchObject({
      reason: notFound.reason,
      code: 'outcome_unknown',
      params: { cause: 'not_found' },
    });
  });
});
