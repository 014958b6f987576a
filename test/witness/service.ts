/** The service as `bin/campanile.mjs` starts it, but for its messengers: both lead to the witness on `WITNESS_PORT`. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { witnessMessenger } from './messenger.ts';

// As the door does: many of these are started in one test run.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/campanile'));
const { main } = await import('../../src/app/main.ts');
const port = Number(process.env['WITNESS_PORT']);
// It ends with the tests that started it, whatever becomes of them.
await main({ stopWithParent: true, messengers: ['sandbox', 'whatsapp'].map((name) => witnessMessenger(name, port)) });
