/** PostgreSQL's programs as a system's packages bring them, pg_dump among them, which those of npm have not got. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEWEST_POSTGRES, OLDEST_POSTGRES } from '../../../src/platform/database/check-version.ts';

/** The folder of Debian and its derivatives. */
const VERSIONS = '/usr/lib/postgresql';

/** The folder of the programs of a supported server that has its pg_dump beside it; undefined: this machine has none. */
export function findSystemPostgres(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  return readdirSync(VERSIONS)
    .filter((major) => Number(major) >= OLDEST_POSTGRES && Number(major) <= NEWEST_POSTGRES)
    .map((major) => join(VERSIONS, major, 'bin'))
    .find((bin) => ['postgres', 'initdb', 'pg_dump', 'pg_restore'].every((program) => existsSync(join(bin, program))));
}

/** The major version of a program of it. */
export function majorOf(program: string): number {
  const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1]);
}

/** Makes of the programs what `startEmbeddedPostgres` takes as `packageFolder`. */
export function packageOf(bin: string, folder: string): string {
  mkdirSync(join(folder, 'native'), { recursive: true });
  symlinkSync(bin, join(folder, 'native/bin'));
  writeFileSync(join(folder, 'native/pg-symlinks.json'), '[]');
  return folder;
}
