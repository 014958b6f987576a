/** The polls of these worlds, which all have the same options. */
import { createHash } from 'node:crypto';
import type { PollExtra } from '../../src/content/post/ballot.ts';

const OPTIONS = ['one', 'two', 'three'];
const HASHES = OPTIONS.map((option) => createHash('sha256').update(option).digest('hex'));

/** A poll that asks this. */
export const pollOf = (question: string): PollExtra => ({ question, options: [...OPTIONS], isMultiple: true });

export const OPTION_COUNT = OPTIONS.length;
export const hashOfOption = (number: number): string => HASHES[number] ?? '';
export const optionOfHash = (hash: string): number => HASHES.indexOf(hash);
