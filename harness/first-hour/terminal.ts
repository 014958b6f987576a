/** The command's output and the operator's input. */
import { createInterface } from 'node:readline';

export type Terminal = ReturnType<typeof openTerminal>;

export class InputEndedError extends Error {}

export function openTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  const lines = createInterface({ input });
  // From the beginning: lines that are typed ahead are not lost.
  const typed = lines[Symbol.asyncIterator]();

  /** The next line that is typed, without spaces around it. Throws InputEndedError when there is none any more. */
  async function ask(question: string): Promise<string> {
    output.write(`${question} `);
    const { value, done } = await typed.next();
    if (done) throw new InputEndedError('The input has ended');
    return value.trim();
  }

  return {
    say: (text: string) => void output.write(`${text}\n`),
    ask,
    /** Asks until one of these is typed. */
    async choose<Choice extends string>(question: string, choices: readonly Choice[]): Promise<Choice> {
      for (;;) {
        const answer = await ask(`${question} [${choices.map((choice) => choice || 'Enter').join(' / ')}]`);
        const choice = choices.find((one) => one === answer.toLowerCase());
        if (choice !== undefined) return choice;
      }
    },
    close: () => lines.close(),
  };
}
