import type { Command, Given } from './command.ts';
import { commandsNamed, findCommand } from './find-command.ts';
import { usageOf, usageOfAll } from './usage.ts';

/** `campanile help`, `campanile help users`, `campanile help users list`. Throws a UsageError for an unknown command. */
export async function help(
  { args, output }: Given<'[COMMAND]' | '[SUBCOMMAND]'>,
  commands: readonly Command[],
): Promise<number> {
  const words = [args.COMMAND, args.SUBCOMMAND].filter((word) => word !== undefined);
  if (words.length === 0) {
    output.write(usageOfAll(commands));
    return 0;
  }
  const named = commandsNamed(commands, words);
  // Throws, since nothing has this name.
  if (named.length === 0) findCommand(commands, words);
  output.write(usageOf(named));
  return 0;
}
