import { Writable } from 'node:stream';
import { runCommand } from '../../src/cli/run-command.ts';
import { StartupError } from '../../src/platform/errors/errors.ts';

/** Runs a command in this process: starting one for each command would take most of the time. Resolves to all that it writes. */
export async function runInProcess(...words: string[]): Promise<{ status: number; text: string }> {
  let text = '';
  const output = new Writable({
    write(piece: Buffer, _encoding, done) {
      text += piece.toString();
      done();
    },
  });
  const run = runCommand(words, { input: process.stdin, output, errors: output, stopWithParent: false });
  const status = await run.catch((error: unknown) => {
    if (!(error instanceof StartupError)) throw error;
    text += `${error.message}\n`;
    return 1;
  });
  return { status, text };
}
