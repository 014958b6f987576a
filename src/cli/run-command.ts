import { DatabaseConnectError, explainConnectError } from '../platform/errors/database-errors.ts';
import { StartupError, UsageError } from '../platform/errors/errors.ts';
import { versionLine } from '../platform/config/version.ts';
import { cacheCompiledCode } from './cache-compiled-code.ts';
import type { Command, Shell } from './command.ts';
import { COMMANDS } from './commands.ts';
import { commandsNamed, findCommand } from './find-command.ts';
import { describeSurplus, parseCommand } from './parse-command.ts';
import { usageOf, usageOfAll } from './usage.ts';

/** The exit code for wrong arguments. */
const BAD_ARGUMENTS = 2;

/**
 * Does what the words after `campanile` ask for; without any it serves. Resolves to the exit code. An unknown word or option starts
 * nothing: the usage goes to `errors`, and the exit code is 2. Throws what the command throws, but for a UsageError.
 */
export async function runCommand(
  words: readonly string[],
  { errors, ...shell }: Shell & { errors: NodeJS.WritableStream },
): Promise<number> {
  cacheCompiledCode();
  const [word = 'serve', ...rest] = words;
  const group = commandsNamed(COMMANDS, [word]);
  let known = group;
  try {
    if (['--version', '-v', 'version'].includes(word))
      return sayAlone(shell.output, `campanile ${versionLine()}\n`, rest);
    if (isHelp(word)) return sayAlone(shell.output, usageOfAll(COMMANDS), rest);
    // A group without a command of its own: `campanile users --help`.
    if (isHelp(rest[0] ?? '') && group.length > 0) return say(shell.output, usageOf(group));
    const { command, given } = findCommand(COMMANDS, [word, ...rest]);
    known = [command];
    return await run(command, given, shell);
  } catch (error) {
    if (error instanceof DatabaseConnectError)
      throw new StartupError(`${explainConnectError(error)}. Check DATABASE_URL, and that the server runs.`, error);
    if (!(error instanceof UsageError)) throw error;
    errors.write(`${error.message}\n\n${known.length === 0 ? usageOfAll(COMMANDS) : usageOf(known)}`);
    return BAD_ARGUMENTS;
  }
}

async function run(command: Command, given: readonly string[], shell: Shell): Promise<number> {
  const parsed = parseCommand(command, given);
  return parsed === 'help' ? say(shell.output, usageOf([command])) : command.run(shell, parsed);
}

const isHelp = (word: string) => word === '--help' || word === '-h';

/** Throws a UsageError if words follow, which mean nothing. */
function sayAlone(output: NodeJS.WritableStream, text: string, [surplus]: readonly string[]): number {
  if (surplus !== undefined) throw new UsageError(describeSurplus(surplus));
  return say(output, text);
}

function say(output: NodeJS.WritableStream, text: string): number {
  output.write(text);
  return 0;
}
