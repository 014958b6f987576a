/** PostgreSQL's programs from the system's packages, which include pg_dump, unlike those from npm. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEWEST_POSTGRES, OLDEST_POSTGRES } from '../../../src/platform/database/check-version.ts';

/** Their folder on Debian and derivatives. */
const VERSIONS = '/usr/lib/postgresql';

/** Returns the folder of a supported server's programs with pg_dump; undefined if there is none. */
export function findSystemPostgres(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  return readdirSync(VERSIONS)
    .filter((major) => Number(major) >= OLDEST_POSTGRES && Number(major) <= NEWEST_POSTGRES)
    .map((major) => join(VERSIONS, major, 'bin'))
    .find((bin) => ['postgres', 'initdb', 'pg_dump', 'pg_restore'].every((program) => existsSync(join(bin, program))));
}

/** Returns the major version of a program. */
export function majorOf(program: string): number {
  const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1]);
}

/** Prepares the programs as a `packageFolder` for `startEmbeddedPostgres`. */
export function packageOf(bin: string, folder: string): string {
  mkdirSync(join(folder, 'native'), { recursive: true });
  symlinkSync(bin, join(folder, 'native/bin'));
  writeFileSync(join(folder, 'native/pg-symlinks.json'), '[]');
  return folder;
}
