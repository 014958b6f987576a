/** The service as `bin/campanile.mjs` starts it, except that both messengers send to the witness on `WITNESS_PORT`. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { witnessMessenger } from './messenger.ts';

// Enables the compile cache, as the launcher does: one test run starts many of these.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/campanile'));
const { main } = await import('../../src/app/main.ts');
const port = Number(process.env['WITNESS_PORT']);
// It exits with the tests that started it, even if they crash.
await main({ stopWithParent: true, messengers: ['sandbox', 'whatsapp'].map((name) => witnessMessenger(name, port)) });
