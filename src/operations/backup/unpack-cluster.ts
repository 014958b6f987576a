import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { readFreeBytes } from '../../platform/database/watch-disk.ts';
import { StartupError } from '../../platform/errors/errors.ts';

const BLOCK_BYTES = 512;
const TYPES: ReadonlySet<string> = new Set(['File', 'Directory']);

/**
 * Unpacks the compressed tar archive of a cluster into an empty folder. Throws a StartupError at the first entry that a base backup of ours
 * cannot have: a path that leads out of the folder, a link, a device, a second entry of one name. `unpackedBytes` is the size of the
 * archive once it is decompressed; without it the limit is the room on the disk (decompression bomb).
 */
export async function unpackCluster(
  archive: string,
  cluster: string,
  { file, unpackedBytes }: { file: string; unpackedBytes: number | undefined },
): Promise<void> {
  const limit = unpackedBytes ?? (await readFreeBytes(cluster));
  const seen = new Set<string>();
  let total = 0;
  let problem: string | undefined;

  function check(entry: ReadEntry): boolean {
    total += BLOCK_BYTES + entry.size;
    problem ??= total > limit ? `it unpacks to more than ${limit} bytes` : findProblem(entry, seen);
    seen.add(nameOf(entry));
    return problem === undefined;
  }

  /** Ends the decompression at the first problem. The library itself never ends where no entry passes its filter. */
  async function* guard(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      yield chunk;
      if (problem !== undefined) throw new Error(problem);
    }
    if (seen.size === 0) throw new Error('it is empty');
  }

  const { extract } = await import('tar');
  const unpack = extract({
    cwd: cluster,
    strict: true,
    preserveOwner: false,
    filter: (_, entry) => 'remain' in entry && check(entry),
  });
  // Types that the library does not know are passed over before they reach the filter.
  unpack.on('ignoredEntry', (entry) => {
    problem ??= `${entry.path} is neither a file nor a folder`;
  });
  try {
    await pipeline(createReadStream(archive), createZstdDecompress(), guard, unpack);
  } catch (error) {
    problem ??= error instanceof Error ? error.message : String(error);
  }
  if (problem !== undefined) throw new StartupError(`${file} cannot be unpacked: ${problem}. Use another backup.`);
}

function findProblem(entry: ReadEntry, seen: ReadonlySet<string>): string | undefined {
  const parts = nameOf(entry).split(process.platform === 'win32' ? /[/\\]/ : '/');
  if (!TYPES.has(entry.type)) return `${entry.path} is neither a file nor a folder`;
  if (parts.some((part) => part === '' || part === '..' || part.includes('\0')))
    return `the entry ${entry.path} leads out of the folder`;
  if (seen.has(nameOf(entry))) return `the entry ${entry.path} occurs twice`;
  return undefined;
}

/** Without the slash at the end of a folder. */
function nameOf({ path }: ReadEntry): string {
  return path.replace(/\/$/, '');
}
