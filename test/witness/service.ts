/** The service as `bin/campanile.mjs` starts it, but for its messengers: both lead to the witness on `WITNESS_PORT`. */
import { main } from '../../src/main.ts';
import { witnessMessenger } from './messenger.ts';

const port = Number(process.env['WITNESS_PORT']);
// It ends with the tests that started it, whatever becomes of them.
await main({ stopWithParent: true, messengers: ['sandbox', 'whatsapp'].map((name) => witnessMessenger(name, port)) });
