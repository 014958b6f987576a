import { describe, expect, test } from 'vitest';
import { keepRecent } from '../../src/lib/keep-recent.ts';

/** Keeps words that weigh as much as they are long. */
function keepWords(most: number) {
  const made: string[] = [];
  const kept = keepRecent<string, string>({ most, weigh: (word) => word.length });
  const get = (word: string) =>
    kept.get(word, async () => {
      made.push(word);
      return word;
    });
  return { kept, get, made };
}

describe('what is kept', () => {
  test('is made once, however many ask at the same time', async () => {
    const { get, made } = keepWords(10);
    expect(await Promise.all([get('bell'), get('bell')])).toEqual(['bell', 'bell']);
    expect(made).toEqual(['bell']);
  });

  test('weighs so much together at most: what was asked for longest ago goes first', async () => {
    const { kept, get, made } = keepWords(10);
    for (const word of ['bell', 'ring', 'bell', 'tower']) await get(word);
    expect(made).toEqual(['bell', 'ring', 'tower']);
    expect(kept.peek('ring')).toBeUndefined();
    expect(await kept.peek('bell')).toBe('bell');
    expect(await kept.peek('tower')).toBe('tower');
  });

  test('weighs what it does however it came, and nothing once it is forgotten', async () => {
    const { kept, get } = keepWords(10);
    kept.put('a', 'bells');
    kept.put('a', 'rings');
    kept.put('b', 'tower');
    expect(await kept.peek('a')).toBe('rings');
    kept.forget('a');
    await get('choir');
    expect(await kept.peek('b')).toBe('tower');
    kept.put('c', 'x');
    expect(kept.peek('b')).toBeUndefined();
  });

  test('takes the place of what is being made, which then is not kept', async () => {
    const { kept } = keepWords(10);
    const slow = Promise.withResolvers<string>();
    const asked = kept.get('a', () => slow.promise);
    kept.put('a', 'new');
    slow.resolve('old');
    expect(await asked).toBe('old');
    expect(await kept.peek('a')).toBe('new');
  });

  test('is not what could not be made', async () => {
    const { kept, get } = keepWords(10);
    await expect(kept.get('bell', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await get('bell')).toBe('bell');
  });
});
