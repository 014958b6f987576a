/** The last result of BACKUP_COMMAND, in a file beside the backups: for the next start, for the metric, and for the doctor. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCodeOf } from '../../platform/errors/errors.ts';

const FILE = 'backup-command.json';

const CommandRecord = z.object({
  /** The name of the backup. */
  file: z.string(),
  endedAt: z.coerce.date(),
  /** The reason of a failure; null: the command succeeded. */
  problem: z.string().nullable(),
  lastSuccessAt: z.coerce.date().nullable(),
});

export type CommandRecord = z.infer<typeof CommandRecord>;

/** Returns the record in BACKUP_TO; undefined: the command has not run yet, or the record is damaged or closed to this user. */
export async function readCommandRecord(to: string): Promise<CommandRecord | undefined> {
  try {
    return CommandRecord.safeParse(JSON.parse(await readFile(join(to, FILE), 'utf8'))).data;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCodeOf(error) ?? '') || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}

export async function writeCommandRecord(to: string, record: CommandRecord): Promise<void> {
  const draft = join(to, `${FILE}.new`);
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, join(to, FILE));
}
