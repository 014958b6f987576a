import { COMMANDS, type Command } from './commands.ts';

/** Returns the usage of all commands, one line per form and one for the description. */
export function usageOfAll(): string {
  const commands = Object.values(COMMANDS).map((command) => `${forms(command, '  ')}\n      ${command.about}`);
  return [
    'Usage: campanile [COMMAND]',
    '',
    ...commands,
    '  --help, --version',
    '      Show this help, or the version.',
    '',
    'Environment variables configure the service: see docs/reference/configuration.md.',
    '',
  ].join('\n');
}

/** One command. */
export function usageOf(command: Command): string {
  return `Usage:\n${forms(command, '  ')}\n      ${command.about}\n`;
}

function forms({ usage }: Command, indent: string): string {
  return usage.map((form) => `${indent}campanile ${form}`).join('\n');
}
