import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads single variables and notes what is wrong with each. */
export function createReader(environment: Environment, problems: string[]) {
  const text = (name: string) => environment[name]?.trim() || undefined;

  /** `NAME`, or what is in the file that `NAME_FILE` names. */
  function secret(name: string): string | undefined {
    const file = text(`${name}_FILE`);
    const value = text(name);
    if (file === undefined) return value;
    if (value !== undefined) problems.push(`${name} and ${name}_FILE are both set: use one of them`);
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch (error) {
      problems.push(`${name}_FILE must name a file that can be read (${codeOf(error)})`);
      return undefined;
    }
  }

  function parsed<Value>(
    name: string,
    takes: string | ((text: string) => string),
    parse: (text: string) => Value | undefined,
    source: (name: string) => string | undefined = text,
  ): Value | undefined {
    const raw = source(name);
    if (raw === undefined) return undefined;
    const value = parse(raw);
    if (value === undefined) problems.push(`${name} must be ${typeof takes === 'string' ? takes : takes(raw)}`);
    return value;
  }

  function choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const raw = text(name);
    return parsed(name, choices.join(' or '), () => choices.find((one) => one === raw));
  }

  return { text, secret, parsed, choice };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
