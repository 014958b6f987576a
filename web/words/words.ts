import { en } from './en.ts';

/** What another language has to say, too. */
export type Words = typeof en;

/** All that the dashboard says. */
export const words: Words = en;
