/** Builds the dashboard into the folder that the service serves, with compressed copies: `npm run build`. */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { BUILD_FOLDER, fingerprint, isFresh, STAMP } from './freshness.ts';

const TO_COMPRESS = /\.(?:js|css|svg|html)$/;
/** Below this size compression saves nothing. */
const SMALL_BYTES = 512;

// The tests set another value, which would build the libraries' development versions.
process.env['NODE_ENV'] = 'production';
const { build } = await import('vite');

// Built beside the last build and then renamed: a service that starts meanwhile finds one or the other.
const folder = `${BUILD_FOLDER}-${process.pid}`;
const madeOf = fingerprint();
try {
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    build: { outDir: folder, emptyOutDir: true },
    logLevel: 'warn',
  });
  await compressAll(join(folder, 'assets'));
  await writeFile(join(folder, STAMP), madeOf);
  await installBuild();
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Another process may have installed the same build at the same time. */
async function installBuild(): Promise<void> {
  await rm(BUILD_FOLDER, { recursive: true, force: true });
  try {
    await rename(folder, BUILD_FOLDER);
  } catch (error) {
    if (!isFresh()) throw error;
  }
}

async function compressAll(assets: string): Promise<void> {
  const names = (await readdir(assets)).filter((name) => TO_COMPRESS.test(name));
  await Promise.all(names.map((name) => compress(join(assets, name))));
}

async function compress(path: string): Promise<void> {
  const plain = await readFile(path);
  if (plain.length < SMALL_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params }),
    promisify(gzip)(plain, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}
