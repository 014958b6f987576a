import { parseArgs } from 'node:util';
import { findNearest } from '../platform/errors/find-nearest.ts';
import { UsageError } from '../platform/errors/errors.ts';
import type { Command, Option, Parsed } from './command.ts';

const HELP = { type: 'boolean', short: 'h' } as const;

/** Returns the arguments and options that `given` names, or `help`. Throws a UsageError that says what is wrong with the first wrong one. */
export function parseCommand({ args, options }: Command, given: readonly string[]): Parsed | 'help' {
  const declared = { ...Object.fromEntries(Object.entries(options).map(toParseOption)), help: HELP };
  requireKnownOptions(Object.keys(declared), given);
  const { values, positionals } = parseStrictly(declared, given);
  if (values['help'] === true) return 'help';
  for (const [name, option] of Object.entries(options))
    if (option.required && !values[name]) throw new UsageError(`Expected --${name}`);
  return { args: nameArguments(args, positionals), options: values };
}

function toParseOption([name, { value, multiple, default: preset }]: [string, Option]) {
  if (value === undefined) return [name, { type: 'boolean', default: false }] as const;
  if (multiple) return [name, { type: 'string', multiple: true, default: [] as string[] }] as const;
  return [name, { type: 'string', ...(preset !== undefined && { default: preset }) }] as const;
}

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function requireKnownOptions(known: readonly string[], given: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...given], strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || known.includes(token.name) || token.rawName === '-h') continue;
    const meant = token.rawName.startsWith('--') ? findNearest(token.name, known) : undefined;
    const hint = meant === undefined ? '' : `. Did you mean --${meant}?`;
    throw new UsageError(`Unknown option ${token.rawName}${hint}`);
  }
}

function parseStrictly(options: ParseOptions, given: readonly string[]) {
  try {
    return parseArgs({ args: [...given], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function nameArguments(names: readonly string[], values: readonly string[]): Record<string, string | undefined> {
  const missing = names[values.length];
  if (missing !== undefined && !isOptional(missing)) throw new UsageError(`Expected ${missing}`);
  const surplus = values[names.length];
  if (surplus !== undefined) throw new UsageError(describeSurplus(surplus));
  return Object.fromEntries(names.map((name, index) => [name.replaceAll(/[[\]]/g, ''), values[index]]));
}

export const describeSurplus = (word: string) => `Unexpected argument "${word}"`;

const isOptional = (name: string) => name.startsWith('[');
