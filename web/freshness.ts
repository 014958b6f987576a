import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Served by `npm start` and ignored by git. */
export const BUILD_FOLDER = join(import.meta.dirname, 'dist');
/** The file with the fingerprint of the build's sources. */
export const STAMP = 'made-of';

/** Returns whether the build is of the current sources. Takes some milliseconds. */
export function isFresh(): boolean {
  const stamp = join(BUILD_FOLDER, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
}

/** Returns a hash of everything the build depends on. By content, since a checkout sets any modification time. */
export function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of sources()) hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function sources(): string[] {
  const own = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) => {
    const path = join(import.meta.dirname, entry.name);
    if (entry.isFile()) return [path];
    return entry.name.startsWith('dist') ? [] : filesBelow(path);
  });
  const windows = join(ROOT, 'src/messengers/windows.ts');
  const client = readdirSync(join(ROOT, 'clients/typescript')).filter((name) => name.endsWith('.ts'));
  const folders = ['messages', 'src/platform/i18n', 'src/content/text'].map((path) => join(ROOT, path));
  const clientFiles = client.map((name) => join(ROOT, 'clients/typescript', name));
  return [...own, ...clientFiles, ...folders.flatMap(filesBelow), windows, join(ROOT, 'package-lock.json')].toSorted();
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
