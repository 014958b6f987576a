import { describe, expect, test } from 'vitest';
import { addRates, findBestTime, NO_RUNS, type RateSums } from '../../../src/sending/analytics/report/best-times.ts';

/** Sums over runs of which each was read by `r` of `n` members. */
function sumsOf(...runs: Array<[r: number, n: number]>): RateSums {
  return addRates(...runs.map(([r, n]) => ({ runs: 1, n, r, nn: n * n, nr: n * r, rr: r * r })));
}
const times = (run: [number, number], count: number): Array<[number, number]> =>
  Array.from({ length: count }, () => run);

describe('the best time', () => {
  test('is not named before two times have five runs each', () => {
    const sums = new Map([
      [9, sumsOf(...times([90, 100], 50))],
      [18, sumsOf(...times([10, 100], 4))],
    ]);
    expect(findBestTime(sums, 'hours')).toMatchObject({ best: null, certainty: 'not_enough' });
    expect(findBestTime(new Map(), 'hours')).toEqual({ best: null, certainty: 'not_enough', times: [] });
  });

  test('is clear where its runs are read far better than all others', () => {
    const sums = new Map([
      [9, sumsOf([30, 100], [32, 100], [28, 100], [31, 100], [29, 100], [30, 100])],
      [18, sumsOf([60, 100], [58, 100], [62, 100], [59, 100], [61, 100], [60, 100])],
    ]);
    const { best, certainty, times: rates } = findBestTime(sums, 'hours');
    expect({ best, certainty }).toEqual({ best: 18, certainty: 'clear' });
    expect(rates.map(({ value, runs, readRate }) => ({ value, runs, readRate }))).toEqual([
      { value: 9, runs: 6, readRate: 0.3 },
      { value: 18, runs: 6, readRate: 0.6 },
    ]);
  });

  test('is unclear where the runs differ as much within a time as between times', () => {
    const sums = new Map([
      [1, sumsOf([10, 100], [90, 100], [30, 100], [70, 100], [50, 100])],
      [5, sumsOf([20, 100], [95, 100], [35, 100], [75, 100], [55, 100])],
    ]);
    expect(findBestTime(sums, 'weekdays')).toMatchObject({ best: 5, certainty: 'unclear' });
  });

  test('is never clear by a few readers who happen to agree', () => {
    const sums = new Map([
      [9, sumsOf(...times([0, 1], 5))],
      [18, sumsOf(...times([1, 1], 5))],
      [20, sumsOf(...times([0, 1], 5))],
    ]);
    expect(findBestTime(sums, 'hours').certainty).toBe('unclear');
  });

  test('leaves out runs in which nobody’s reads are reported', () => {
    expect(findBestTime(new Map([[3, NO_RUNS]]), 'hours').times).toEqual([]);
  });
});

describe('the interval', () => {
  test('is that of cluster sampling with Student’s t', () => {
    const sums = sumsOf([1_000, 10_000], [2_000, 10_000], [3_000, 10_000], [4_000, 10_000], [5_000, 10_000]);
    const [time] = findBestTime(new Map([[9, sums]]), 'hours').times;
    // Five rates 0.1 to 0.5: mean 0.3, standard error 0.0707, t of four degrees of freedom 2.776.
    expect(time?.interval?.low).toBeCloseTo(0.3 - 2.776 * 0.070_71, 2);
    expect(time?.interval?.high).toBeCloseTo(0.3 + 2.776 * 0.070_71, 2);
  });

  test('stays between none and all, and is left out below five runs', () => {
    const at = (sums: RateSums) => findBestTime(new Map([[9, sums]]), 'hours').times[0]?.interval;
    expect(at(sumsOf([0, 100], [100, 100], [0, 100], [100, 100], [100, 100]))).toMatchObject({ low: 0, high: 1 });
    expect(at(sumsOf(...times([50, 100], 4)))).toBeNull();
  });

  test('holds the true rate in about 95 of 100 samples, and finds a best hour by chance in fewer than 5', () => {
    let seed = 1;
    // Mulberry32.
    const random = () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
    const run = (): [number, number] => {
      const n = 50 + Math.floor(random() * 100);
      // The runs differ by more than their readers would by chance.
      const rate = 0.4 + (random() - 0.5) * 0.3;
      return [Array.from({ length: n }, () => Number(random() < rate)).reduce((sum, one) => sum + one, 0), n];
    };
    let [held, clear] = [0, 0];
    const samples = 500;
    for (let sample = 0; sample < samples; sample++) {
      const sums = new Map([8, 10, 12, 18].map((hour) => [hour, sumsOf(...Array.from({ length: 8 }, run))]));
      const { certainty, times: rates } = findBestTime(sums, 'hours');
      if (certainty === 'clear') clear += 1;
      const { low = 0, high = 0 } = rates[0]?.interval ?? {};
      if (low <= 0.4 && 0.4 <= high) held += 1;
    }
    expect(held / samples).toBeGreaterThan(0.92);
    expect(clear / samples).toBeLessThan(0.05);
  });
});
