import type { en } from './en.ts';

/** What another language has to say, too. */
export type Words = typeof en;

/**
 * All that the dashboard says, in the language that is spoken. Nothing that says something may be loaded before `setLocale` was called:
 * `main.ts` sees to that.
 */
// oxlint-disable-next-line import/no-mutable-exports
export let words: Words;

/** Has everything that is loaded from now on say what it says in these words. */
export function setLocale(spoken: Words): void {
  words = spoken;
}
