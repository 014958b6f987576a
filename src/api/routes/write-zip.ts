import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file of an archive. */
export interface ZippedFile {
  name: string;
  pieces: AsyncIterable<string>;
}

/** Yields a ZIP archive. Each file is read and compressed while the client takes it, one after the other. */
export async function* writeZip(files: readonly ZippedFile[]): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let input: Readable | undefined;
  zip.on('error', (error: Error) => output.destroy(error));
  output.on('close', () => input?.destroy());
  for (const { name, pieces } of files)
    zip.addReadStreamLazy(name, {}, (open) => {
      input = Readable.from(pieces, { objectMode: false });
      input.on('error', (error) => output.destroy(error));
      open(null, input);
    });
  zip.end();
  yield* output;
}
