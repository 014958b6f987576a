import { findNearest } from '../platform/errors/find-nearest.ts';
import { UsageError } from '../platform/errors/errors.ts';
import type { Command } from './command.ts';

/** Returns the command that the first words name, and the words behind it. Throws a UsageError if there is none. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; given: readonly string[] } {
  for (let count = Math.min(words.length, LONGEST); count > 0; count--) {
    const name = words.slice(0, count).join(' ');
    const command = commands.find((one) => one.name === name);
    if (command) return { command, given: words.slice(count) };
  }
  throw new UsageError(describeUnknown(commands, words));
}

/** Words of the longest name. */
const LONGEST = 2;

/** Returns the commands of the name, or of the group of that name: `users` has `users list` and others. */
export function commandsNamed(commands: readonly Command[], words: readonly string[]): Command[] {
  const name = words.join(' ');
  return commands.filter((one) => one.name === name || one.name.startsWith(`${name} `));
}

function describeUnknown(commands: readonly Command[], words: readonly string[]): string {
  const [group = '', word] = words;
  const inGroup = commandsNamed(commands, [group]).map(({ name }) => name);
  if (inGroup.length > 0 && (word === undefined || word.startsWith('-'))) return `Expected a subcommand of "${group}"`;
  const name = inGroup.length > 0 ? `${group} ${word}` : group;
  const known = inGroup.length > 0 ? inGroup : [...new Set(commands.map((one) => one.name.split(' ', 1)[0] ?? ''))];
  const meant = findNearest(name, known);
  return `Unknown command "${name}"${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
}
