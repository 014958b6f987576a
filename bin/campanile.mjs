#!/usr/bin/env node
// The door. Plain JavaScript without anything younger than Node 14, so that an old Node can read it and say what it lacks.

import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const tooOld = Number(process.versions.node.split('.')[0]) < 26 || typeof Temporal === 'undefined';

if (tooOld) {
  leave(
    `Campanile needs Node.js 26 and this is ${process.versions.node}: ` +
      'run "npm ci" without --omit=optional, which brings the right one along, ' +
      'then "npm start" or "node_modules/.bin/node bin/campanile.mjs".',
  );
} else {
  // Keeps what was compiled: the next start is quicker, and needs neither the compiler nor its memory, some 20 MB. Where nothing
  // can be written there, all is as without it.
  modules.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/campanile', import.meta.url)));
  if (process.argv[2] === 'whatsapp-check') checkWhatsApp(process.argv.slice(3));
  else serve();
}

function serve() {
  // npm runs us in a shell of its own, and a signal sent to npm ends only that shell.
  const stopWithParent = process.env.npm_lifecycle_event !== undefined;
  import('../src/main.ts').then(({ main }) => main({ stopWithParent })).catch(explain);
}

function checkWhatsApp(given) {
  import('../src/whatsapp-check/whatsapp-check.ts')
    .then(({ whatsappCheck }) => whatsappCheck({ arguments: given, input: process.stdin, output: process.stdout }))
    .then((code) => (process.exitCode = code))
    .catch(explain);
}

function explain(error) {
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package '([^']+)'/.exec(error.message);
  if (missing) leave(`The package ${missing[1]} is not installed: run "npm ci" first.`);
  // What the operator has to change says all of it in its sentence; anything else is a defect.
  else leave(error.name === 'StartupError' ? error.message : error.stack || String(error));
}

function leave(why) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}
