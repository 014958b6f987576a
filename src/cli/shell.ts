/** What a command works with. */
export interface Shell {
  /** What follows the word. */
  given: readonly string[];
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** The end of the process that started us is as good as a signal. */
  stopWithParent: boolean;
}
