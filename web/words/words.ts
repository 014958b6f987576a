import type { en } from './en.ts';

/** What another language has to say, too. */
export type Words = typeof en;

/**
 * i18n: all messages of the dashboard, in the current locale. Nothing that says something may be loaded before `setLocale` was called:
 * `main.ts` sees to that.
 */
// oxlint-disable-next-line import/no-mutable-exports
export let words: Words;

/** i18n: sets the messages that everything loaded from now on shows. */
export function setLocale(spoken: Words): void {
  words = spoken;
}
