/** Reads the manifest of a backup without unpacking anything: an archive from elsewhere is hostile until it is authenticated. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ReadEntry } from 'tar';
import { StartupError, errorCodeOf } from '../../platform/errors/errors.ts';
import { BASE_FILE, DUMP_FILE, MAC_FILE, Manifest, MANIFEST_FILE, SECRETS_FILE } from './manifest.ts';
import { checkManifestMac } from './manifest-mac.ts';

/** Which backups an operator takes. */
export interface Trust {
  passphrase: string | undefined;
  /** A backup without an authentication code, or without the passphrase to check it by, is taken, too. */
  allowUnauthenticated: boolean;
}

export interface Backup {
  manifest: Manifest;
  /** The manifest was made by a holder of the passphrase. The entries are compared with it when they are unpacked. */
  isAuthenticated: boolean;
}

/** The entries that are read into memory, each with its limit in bytes. */
const READ_LIMITS = new Map([
  [MANIFEST_FILE, 1024 ** 2],
  [MAC_FILE, 4096],
]);
const CONTENT = new Set([BASE_FILE, DUMP_FILE, SECRETS_FILE]);

/**
 * Returns the manifest of a backup. The backup must be authentic, and the archive must have exactly the entries of the manifest, with
 * their sizes. Throws a StartupError that says how the backup is damaged, or which key for authentication is missing.
 */
export async function readBackup(file: string, trust: Trust): Promise<Backup> {
  const { sizes, contents } = await readEntries(file);
  const text = contents.get(MANIFEST_FILE);
  if (!text) throw new StartupError(`${file} is not a backup: it has no manifest`);
  const isAuthenticated = await authenticate(text, contents.get(MAC_FILE), file, trust);
  const manifest = parseManifest(text, file);
  compareEntries(manifest, sizes, file);
  return { manifest, isAuthenticated };
}

async function authenticate(
  manifest: Buffer,
  code: Buffer | undefined,
  file: string,
  { passphrase, allowUnauthenticated }: Trust,
): Promise<boolean> {
  if (code && passphrase !== undefined) {
    await checkManifestMac(manifest, { code, passphrase, file });
    return true;
  }
  if (allowUnauthenticated) return false;
  throw new StartupError(
    code
      ? `The passphrase authenticates ${file}. Add --passphrase-file FILE. If the passphrase is lost and you trust the origin of the file, add --unauthenticated: a hostile database can run commands on this machine.`
      : `${file} has no authentication code: it was made without a passphrase or by an earlier version, or the code was removed. If you trust the origin of the file, add --unauthenticated: a hostile database can run commands on this machine.`,
  );
}

async function readEntries(file: string) {
  /** Of each, by name. */
  const sizes = new Map<string, number>();
  const contents = new Map<string, Buffer>();
  let problem: string | undefined;
  const { list } = await import('tar');
  const parser = list({
    strict: true,
    noResume: true,
    onReadEntry(entry) {
      problem ??= findProblem(entry, sizes);
      sizes.set(entry.path, entry.size);
      if (problem === undefined && READ_LIMITS.has(entry.path)) collect(entry, contents);
      else entry.resume();
    },
  });
  parser.on('ignoredEntry', (entry) => {
    problem ??= `its entry ${entry.path} is neither a file nor a folder`;
  });
  try {
    await pipeline(createReadStream(file), parser);
    const total = sizes.values().reduce((sum, size) => sum + size, 0);
    if (problem === undefined && total > (await stat(file)).size) problem = 'its entries are larger than the file';
    if (problem !== undefined) throw new Error(problem);
    return { sizes, contents };
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') throw new StartupError(`There is no file ${file}.`, error);
    throw new StartupError(
      `${file} cannot be read as a backup: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

function findProblem(entry: ReadEntry, seen: ReadonlyMap<string, number>): string | undefined {
  if (!READ_LIMITS.has(entry.path) && !CONTENT.has(entry.path))
    return `the entry ${entry.path} is not part of a backup`;
  if (seen.has(entry.path)) return `the entry ${entry.path} occurs twice`;
  if (entry.type !== 'File') return `its entry ${entry.path} is not a file`;
  if (entry.size > (READ_LIMITS.get(entry.path) ?? Infinity)) return `${entry.path} is too long`;
  return undefined;
}

function collect(entry: ReadEntry, contents: Map<string, Buffer>): void {
  const chunks: Buffer[] = [];
  entry.on('data', (chunk) => chunks.push(chunk));
  entry.on('end', () => contents.set(entry.path, Buffer.concat(chunks)));
}

function parseManifest(text: Buffer, file: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(text.toString('utf8')));
  } catch (error) {
    throw new StartupError(
      `${file} is not a backup of this version of Campanile, or is damaged: its manifest cannot be read`,
      error,
    );
  }
}

function compareEntries({ files }: Manifest, sizes: ReadonlyMap<string, number>, file: string): void {
  if (Object.hasOwn(files, BASE_FILE) === Object.hasOwn(files, DUMP_FILE))
    throw new StartupError(`${file} is damaged: its manifest must name exactly one database`);
  for (const [name, { bytes }] of Object.entries(files)) {
    const size = sizes.get(name);
    if (!CONTENT.has(name) || size === undefined)
      throw new StartupError(`${file} was altered or is damaged: ${name} is missing`);
    if (size !== bytes) throw alteredEntry(file, name);
  }
  for (const name of sizes.keys())
    if (!Object.hasOwn(files, name) && !READ_LIMITS.has(name))
      throw new StartupError(`${file} was altered after it was made: its manifest does not name ${name}`);
}

/** The error for an entry whose size or SHA-256 is not the one in the manifest. */
export function alteredEntry(file: string, name: string): StartupError {
  return new StartupError(
    `${file} was altered or is damaged: ${name} does not match its manifest. Use another backup.`,
  );
}
