/** What a command of the command line is. Help, parsing, completion and the reference derive from it. */

/** The environment of a command. */
export interface Shell {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** The end of the process that started us is as good as a signal. */
  stopWithParent: boolean;
}

export interface Option {
  about: string;
  /** The name of its value, such as `FILE`; without one it is a flag. */
  value?: string;
  /** It can be given several times. */
  multiple?: true;
  /** The value if it is not given. */
  default?: string;
  /** The command takes no effect without it. */
  required?: true;
}

type Options = Readonly<Record<string, Option>>;

type OptionValue<One extends Option> = One extends { value: string }
  ? One extends { multiple: true }
    ? readonly string[]
    : One extends { default: string }
      ? string
      : string | undefined
  : boolean;

/** The arguments by name: `NAME`, or `[NAME]` if it can be left out. */
type ArgumentValues<Names extends string> = {
  readonly [Name in Names as Name extends `[${infer Inner}]` ? Inner : Name]: Name extends `[${string}]`
    ? string | undefined
    : string;
};

/** The option of a command that prints JSON for programs. */
export type JsonFlag = Readonly<Record<'json', { about: string }>>;

/** The arguments and options of a command, as given. */
export interface Parsed {
  args: Readonly<Record<string, string | undefined>>;
  options: Readonly<Record<string, boolean | string | ReadonlyArray<boolean | string> | undefined>>;
}

/** A command as its module gets it. */
export type Given<Names extends string = never, Declared extends Options = Record<never, Option>> = Shell & {
  args: ArgumentValues<Names>;
  options: { readonly [Name in keyof Declared]: OptionValue<Declared[Name]> };
};

interface Declaration<Names extends string, Declared extends Options> {
  /** The words after `campanile`: `serve`, `users list`. */
  name: string;
  /** A short description. */
  about: string;
  args?: readonly Names[];
  options?: Declared;
  /**
   * Returns the exit code. Throws a UsageError for wrong arguments, and a StartupError with the remedy when the operator has to change
   * something.
   */
  run(given: Given<Names, Declared>): Promise<number>;
}

export interface Command {
  name: string;
  about: string;
  args: readonly string[];
  options: Options;
  run(shell: Shell, parsed: Parsed): Promise<number>;
}

/** Declares a command. Its `run` gets the arguments and options by name, with the types that follow from the declaration. */
export function command<const Names extends string = never, const Declared extends Options = Record<never, Option>>({
  name,
  about,
  args = [],
  options,
  run,
}: Declaration<Names, Declared>): Command {
  return {
    name,
    about,
    args,
    options: options ?? {},
    // `parseCommand` has checked both against the declaration.
    run: (shell, parsed) => run({ ...shell, ...parsed } as Given<Names, Declared>),
  };
}
