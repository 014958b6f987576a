/**
 * Makes `dist/`, which the package carries in place of the sources: Node.js runs no TypeScript below node_modules. The
 * same tree with the types taken out, the built dashboard, and whatever else is read at run time. npm runs it before it packs.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { BUILD_FOLDER, isFresh } from '../web/freshness.ts';
import { readVersion } from '../src/platform/config/version.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
/** Names of our own files within strings. */
const OWN_FILE = /(['"`])(\.{1,2}\/[^'"`\n]*)\.ts\1/g;

if (!isFresh()) execFileSync(process.execPath, [join(ROOT, 'web/build.ts')], { stdio: 'inherit' });
rmSync(DIST, { recursive: true, force: true });
for (const file of filesBelow('src')) carry(file);
for (const file of filesBelow('clients/typescript')) if (file.endsWith('.ts')) carry(file);
carry('web/freshness.ts');
carry('src/api/contract/openapi.json');
cpSync(join(ROOT, 'messages'), join(DIST, 'messages'), { recursive: true, filter: (file) => !file.endsWith('.ts') });
cpSync(BUILD_FOLDER, join(DIST, relative(ROOT, BUILD_FOLDER)), { recursive: true });
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify({ type: 'module', ...readVersion() }, undefined, 2)}\n`);
// A shrinkwrap makes users install exactly the tested versions, down to the last dependency.
if (existsSync(join(ROOT, 'package-lock.json')))
  cpSync(join(ROOT, 'package-lock.json'), join(ROOT, 'npm-shrinkwrap.json'));

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.json'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function carry(file: string): void {
  const to = join(DIST, file.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(to), { recursive: true });
  if (file.endsWith('.ts')) {
    const script = stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8')).replaceAll(OWN_FILE, '$1$2.js$1');
    writeFileSync(to, script.replaceAll(/[ \t]+$/gm, ''));
  } else cpSync(join(ROOT, file), to);
}
