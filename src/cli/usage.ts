import type { Command, Option } from './command.ts';

/** Returns a line for each command. */
export function usageOfAll(commands: readonly Command[]): string {
  const rows = commands.map(({ name, args, about }) => [[name, ...args].join(' '), about] as const);
  return `Usage: campanile [COMMAND] [OPTION]...

${alignRows([...rows, ['--help, --version', 'Show this help, or the version.']])}
"campanile help COMMAND" shows the options of a command.
Environment variables configure the service: see docs/reference/configuration.md.
`;
}

/** Returns the usage of some commands with all options. */
export function usageOf(commands: readonly Command[]): string {
  return commands.map(describeCommand).join('\n');
}

function describeCommand({ name, args, options, about }: Command): string {
  const declared = Object.entries(options);
  const form = ['campanile', name, ...args, ...declared.map(formOf)].join(' ');
  const rows = declared.map(([option, { value, about: text, default: preset }]) => {
    const words = `--${option}${value === undefined ? '' : ` ${value}`}`;
    return [words, preset === undefined ? text : `${text} Default: ${preset}.`] as const;
  });
  return `Usage: ${form}\n  ${about}\n${rows.length === 0 ? '' : `\n${alignRows(rows)}`}`;
}

function formOf([name, { value, multiple, required }]: [string, Option]): string {
  const words = `--${name}${value === undefined ? '' : ` ${value}`}`;
  return `${required ? words : `[${words}]`}${multiple ? '...' : ''}`;
}

function alignRows(rows: ReadonlyArray<readonly [string, string]>): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
