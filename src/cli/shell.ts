/** The environment of a command. */
export interface Shell {
  /** The arguments after the command. */
  given: readonly string[];
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** The end of the process that started us is as good as a signal. */
  stopWithParent: boolean;
}
