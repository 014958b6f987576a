/** Tampered backups: unpacked, changed, and packed again with matching checksums. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { create, extract, Header } from 'tar';
import { sumOf } from '../../../src/operations/backup/make-backup.ts';
import { BASE_FILE, MAC_FILE, MANIFEST_FILE, type Manifest } from '../../../src/operations/backup/manifest.ts';
import { createManifestMac } from '../../../src/operations/backup/manifest-mac.ts';

/** One entry of a tar archive, with headers that may lie. */
export interface CraftedEntry {
  path: string;
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO';
  linkpath?: string;
  content?: string | Buffer;
  /** The size in the header, if it differs from that of the content. */
  claims?: number;
  /** The type byte of the header, for types that the library cannot write. */
  typeByte?: string;
}

const BLOCK = 512;

/** The bytes of a tar archive with exactly these entries. */
export function craftTar(entries: readonly CraftedEntry[]): Buffer {
  const blocks: Buffer[] = [];
  for (const { path, type = 'File', linkpath, content = '', claims, typeByte } of entries) {
    const body = Buffer.from(content);
    const size = claims ?? body.length;
    const header = new Header({ path, type, linkpath: linkpath ?? '', mode: 0o600, size, uid: 0, gid: 0 });
    const block = Buffer.alloc(BLOCK);
    header.encode(block);
    if (typeByte !== undefined) setTypeByte(block, typeByte);
    blocks.push(block, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function setTypeByte(header: Buffer, typeByte: string): void {
  header.write(typeByte, 156, 'latin1');
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}

/** Unpacks a backup, lets `change` modify its entries in a folder, and packs it again. */
export async function rebuildBackup(
  file: string,
  target: string,
  change: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(`${target}.parts-`);
  try {
    await extract({ file, cwd: folder });
    await change(folder);
    const names = (await readdir(folder)).toSorted((a, b) => rank(a) - rank(b));
    await create({ file: target, cwd: folder, portable: true }, names);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const rank = (name: string) => (name.startsWith('manifest') ? name.length : 100);

/** Writes the checksums of the entries in `folder` into the manifest, and applies `change` to it. */
export async function resumManifest(folder: string, change: (manifest: Manifest) => void = () => undefined) {
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8')) as Manifest;
  for (const name of Object.keys(manifest.files)) manifest.files[name] = await sumOf(join(folder, name));
  change(manifest);
  await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Authenticates the manifest in `folder` again, which requires the passphrase. */
export async function signManifest(folder: string, passphrase: string): Promise<void> {
  const manifest = await readFile(join(folder, MANIFEST_FILE));
  await writeFile(join(folder, MAC_FILE), await createManifestMac(manifest, passphrase));
}

/** Lets `change` modify the files of the cluster in a backup that was unpacked into `folder`. */
export async function changeCluster(folder: string, change: (cluster: string) => Promise<void>): Promise<void> {
  const cluster = join(folder, 'cluster');
  await mkdir(cluster);
  await pipeline(createReadStream(join(folder, BASE_FILE)), createZstdDecompress(), extract({ cwd: cluster }));
  await change(cluster);
  await pipeline(
    create({ cwd: cluster, portable: true }, await readdir(cluster)),
    createZstdCompress(),
    createWriteStream(join(folder, BASE_FILE)),
  );
  await rm(cluster, { recursive: true });
}
