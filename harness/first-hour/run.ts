/** `npm run first-hour -- [--url URL] [--report FILE]`: walks through docs/how-to/first-hour-on-whatsapp.md with a running service. */
import { parseArgs } from 'node:util';
import { StartupError } from '../../src/platform/errors/errors.ts';
import { walkThrough } from './walk-through.ts';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
    report: { type: 'string', default: 'first-hour.json' },
  },
});
try {
  process.exitCode = await walkThrough({ options, input: process.stdin, output: process.stdout });
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
