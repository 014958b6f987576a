import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The running version. */
export interface Version {
  /** Of the package: `1.2.3`. */
  version: string;
  /** The first twelve digits of the commit's hash; undefined where neither the package nor a git checkout tells. */
  commit: string | undefined;
}

/** Of the checkout, or of the installed package. */
const ROOT = join(import.meta.dirname, '../../..');

let known: Version | undefined;

/** Which version of the service this is. Looks once. */
export function readVersion(): Version {
  known ??= { commit: readGitCommit(), ...readPackage() };
  return known;
}

/** Returns the version on one line: `0.1.0 (1a2b3c4d5e6f)`. */
export function versionLine({ version, commit } = readVersion()): string {
  return commit === undefined ? version : `${version} (${commit})`;
}

/** A packed package contains its commit. */
function readPackage(): Pick<Version, 'version'> & Partial<Pick<Version, 'commit'>> {
  const { version, commit } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Version;
  return { version, ...(commit !== undefined && { commit }) };
}

function readGitCommit(): string | undefined {
  // Otherwise git would search the parent folders and report another repository.
  if (!existsSync(join(ROOT, '.git'))) return undefined;
  try {
    const args = ['rev-parse', '--short=12', 'HEAD'];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // No git, or a checkout of another owner: the commit is unknown.
    return undefined;
  }
}
