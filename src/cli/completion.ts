import { readFile } from 'node:fs/promises';
import { UsageError } from '../platform/errors/errors.ts';
import type { Given } from './command.ts';

export const SHELLS = ['bash', 'zsh'] as const;
export type CompletedShell = (typeof SHELLS)[number];

/** Where the script for a shell is: `npm run docs` writes it from the commands. */
export const completionFile = (shell: CompletedShell): URL =>
  new URL(`completions/campanile.${shell}`, import.meta.url);

/** `campanile completion bash|zsh`: prints a script that completes commands, options and files. Throws a UsageError for another shell. */
export async function completion({ args: { SHELL }, output }: Given<'SHELL'>): Promise<number> {
  const shell = SHELLS.find((one) => one === SHELL);
  if (!shell) throw new UsageError(`Expected ${SHELLS.join(' or ')}, but got "${SHELL}"`);
  output.write(await readFile(completionFile(shell), 'utf8'));
  return 0;
}
