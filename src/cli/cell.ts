import { MOST_CELLS, numberCell, readCell } from '../cells/number-cell.ts';
import { UsageError } from '../lib/errors.ts';
import { recordCommand } from './record-command.ts';
import type { Shell } from './shell.ts';
import { withDatabase } from './with-database.ts';

/** `campanile cell [NUMBER]`. Throws a UsageError for words it does not take, a StartupError for a cell that has another number. */
export async function cell({ given, output }: Shell): Promise<number> {
  const [word, ...more] = given;
  if (more.length > 0) throw new UsageError('One number is taken');
  if (word === undefined) {
    const known = await withDatabase(({ db }) => readCell(db));
    output.write(known === null ? 'This installation has no number\n' : `This is cell ${known}\n`);
    return 0;
  }
  const number = cellOf(word);
  await withDatabase(async ({ db }) => {
    await numberCell(db, number);
    await recordCommand(db, 'cell.numbered', String(number));
  });
  output.write(`This is cell ${number}: workspaces can be moved here\n`);
  return 0;
}

/** Throws a UsageError for what is no number of a cell. */
export function cellOf(word: string | undefined): number {
  const number = Number(word);
  if (!/^\d+$/.test(word ?? '') || number < 1 || number > MOST_CELLS)
    throw new UsageError(`A cell has a number from 1 to ${MOST_CELLS}`);
  return number;
}
