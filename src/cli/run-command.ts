import { UsageError } from '../platform/errors/errors.ts';
import { versionLine } from '../platform/config/version.ts';
import { COMMANDS } from './commands.ts';
import { cacheCompiledCode } from './cache-compiled-code.ts';
import type { Shell } from './shell.ts';
import { usageOf, usageOfAll } from './usage.ts';

/** The exit code for wrong arguments. */
const BAD_ARGUMENTS = 2;

/**
 * Does what the words after `campanile` ask for; without any it serves. Resolves to the exit code. An unknown word starts nothing:
 * the usage goes to `errors`, and the exit code is 2. Throws what the command throws, but for a UsageError.
 */
export async function runCommand(
  words: readonly string[],
  { errors, ...shell }: Omit<Shell, 'given'> & { errors: NodeJS.WritableStream },
): Promise<number> {
  cacheCompiledCode();
  const [word = 'serve', ...given] = words;
  if (['--version', '-v', 'version'].includes(word)) return say(shell.output, `campanile ${versionLine()}\n`);
  if (['--help', '-h', 'help'].includes(word)) return say(shell.output, usageOfAll());
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (!command) {
    errors.write(`Unknown command "${word}".\n\n${usageOfAll()}`);
    return BAD_ARGUMENTS;
  }
  if (given.some((one) => one === '--help' || one === '-h')) return say(shell.output, usageOf(command));
  try {
    return await command.run({ ...shell, given });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    errors.write(`${error.message}\n\n${usageOf(command)}`);
    return BAD_ARGUMENTS;
  }
}

function say(output: NodeJS.WritableStream, text: string): number {
  output.write(text);
  return 0;
}
