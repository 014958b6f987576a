/** The file that a workspace travels in: lines, compressed. The first says what it is, then come tables with their rows, then an end. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { StartupError } from '../lib/errors.ts';

const FORMAT = 'campanile workspace 1';

const Header = z.object({
  format: z.literal(FORMAT),
  moveId: z.uuid(),
  workspaceId: z.number(),
  accountId: z.number(),
  userName: z.string(),
  fromCell: z.number().nullable(),
  toCell: z.number(),
  /** The number of the newest migration. */
  schema: z.number(),
  /** The highest id of each table that gives some, and of what is counted over all. */
  highest: z.record(z.string(), z.number()),
  /** As JSON. */
  lane: z.string(),
  /** The key that secrets are sealed with, sealed with the passphrase. */
  box: z.string(),
});
export type Header = Omit<z.infer<typeof Header>, 'format'>;

/** A row as JSON, of which no integer has been rounded. */
export interface MovedRow {
  table: string;
  row: string;
}

const TABLE = '# ';
const END = '# end';

/** Writes the file, which is whole and on the disk when it has its name. It can be read by its owner alone. */
export async function writeMoveFile(file: string, header: Header, rows: AsyncIterable<MovedRow>): Promise<void> {
  const draft = `${file}.part`;
  async function* lines() {
    yield `${JSON.stringify({ format: FORMAT, ...header })}\n`;
    let current = '';
    for await (const { table, row } of rows) {
      if (table !== current) yield `${TABLE}${(current = table)}\n`;
      yield `${row}\n`;
    }
    yield `${END}\n`;
  }
  try {
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(draft, { mode: 0o600, flush: true }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

export interface OpenMoveFile {
  header: Header;
  /** To be read once. Throws a StartupError where the file ends too soon. */
  rows: AsyncIterable<MovedRow>;
}

/** Throws a StartupError for what is no such file. */
export async function openMoveFile(file: string): Promise<OpenMoveFile> {
  const source = createReadStream(file);
  const plain = source.pipe(createGunzip());
  source.once('error', (error) => plain.destroy(error));
  const lines = createInterface({ input: plain, crlfDelay: Infinity })[Symbol.asyncIterator]();
  let header;
  try {
    header = Header.parse(JSON.parse(String((await lines.next()).value)));
  } catch (error) {
    throw new StartupError(`This is no file of a workspace that was exported: ${file}`, error);
  }
  return { header, rows: readRows(lines, file) };
}

async function* readRows(lines: AsyncIterator<string>, file: string): AsyncGenerator<MovedRow> {
  let table = '';
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    if (line.value === END) return;
    if (line.value.startsWith(TABLE)) table = line.value.slice(TABLE.length);
    else yield { table, row: line.value };
  }
  throw new StartupError(`The file ends too soon, so nothing was imported: ${file}`);
}
