#!/usr/bin/env node
// The launcher. Plain JavaScript without syntax newer than Node 14, so that an old Node.js can parse it and name the required version.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);

if (isYoungEnough()) open();
else openWithOurNode();

function isYoungEnough() {
  return Number(process.versions.node.split('.')[0]) >= 26 && typeof Temporal !== 'undefined';
}

function open() {
  // A checkout runs its TypeScript. The package has it without types, because Node.js strips none below node_modules.
  const source = join(root, 'src/cli/run-command.ts');
  const entry = existsSync(source) ? source : join(root, 'dist/src/cli/run-command.js');
  import(pathToFileURL(entry).href)
    .then(({ runCommand }) =>
      runCommand(words, {
        input: process.stdin,
        output: process.stdout,
        errors: process.stderr,
        // npm runs us in a shell of its own, and a signal sent to npm ends only that shell.
        stopWithParent: process.env.npm_lifecycle_event !== undefined,
      }),
    )
    .then((code) => (process.exitCode = code))
    .catch(explain);
}

/** An old Node hands over to the one that came along. */
function openWithOurNode() {
  const node = findOurNode();
  if (node === undefined) {
    leave(
      `Campanile needs Node.js 26 and this is ${process.versions.node}: ` +
        'run "npm ci" without --omit=optional, which brings the right one along, ' +
        'then "npm start" or "node_modules/.bin/node bin/campanile.mjs".',
    );
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url)].concat(words), {
    stdio: 'inherit',
    // Should we be killed, it is to notice and to stop.
    env: { npm_lifecycle_event: 'campanile', ...process.env },
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => leave(`The Node.js that came along (${node}) cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
}

function findOurNode() {
  const find = modules.createRequire(import.meta.url).resolve;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      return join(dirname(find(`${name}/package.json`)), program);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
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
