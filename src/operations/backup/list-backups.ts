import { readdir } from 'node:fs/promises';
import { errorCodeOf } from '../../platform/errors/errors.ts';

/** A backup that Campanile has made by itself, and whose name says when: a copy keeps its name, and gets another date of its own. */
export interface MadeBackup {
  name: string;
  madeAt: Date;
}

/** `20270301T030000Z`, as in the names of backups. */
export const toTimestamp = (at: Date): string => at.toISOString().replaceAll(/[-:]|\.\d+/g, '');

/**
 * Returns the files of a folder whose names match, the oldest first. The group `at` of `pattern` is a timestamp. `future` has those dated after
 * `now`: somebody's clock was wrong, so they prove nothing. A folder that is missing or closed to this user has none.
 */
export async function listBackups(folder: string, pattern: RegExp, now: Date) {
  const names = await readdir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCodeOf(error) ?? '')) return [];
    throw error;
  });
  const found = names
    .flatMap((name) => {
      const madeAt = readTimestamp(pattern.exec(name)?.groups?.['at']);
      return madeAt === undefined ? [] : [{ name, madeAt }];
    })
    .toSorted((one, other) => one.madeAt.getTime() - other.madeAt.getTime());
  return { past: found.filter(({ madeAt }) => madeAt <= now), future: found.filter(({ madeAt }) => madeAt > now) };
}

function readTimestamp(text: string | undefined): Date | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '');
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
