import { z } from 'zod';

/** A backup's description of itself; the first entry of its archive. */
export const Manifest = z.object({
  format: z.literal(1),
  madeAt: z.iso.datetime(),
  /** Of Campanile. */
  version: z.string(),
  /** The major version of the server: of the embedded one the files belong to it. */
  postgres: z.string(),
  /** The operating system and processor of an embedded server, such as `linux-x64`. Not in a dump, nor in backups of before it was kept. */
  platform: z.string().optional(),
  installationId: z.string().nullable(),
  /** The ledger's number while it was made. */
  number: z.number(),
  /** The size of the base backup once it is decompressed. Not in backups of before manifests were authenticated. */
  unpackedBytes: z.number().optional(),
  /** The other entries but for the authentication code, each with its sum. */
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof Manifest>;

/** The platform of this machine, as in a manifest. */
export const PLATFORM = `${process.platform}-${process.arch}`;

export const MANIFEST_FILE = 'manifest.json';
/** The authentication code of the manifest, and so of every file that it names. Not there where there was no passphrase. */
export const MAC_FILE = 'manifest.mac';
/** A base backup of the cluster with the WAL that makes it consistent; compressed. */
export const BASE_FILE = 'base.tar.zst';
/** In place of it, of a server of one's own: what pg_dump makes in its custom format. */
export const DUMP_FILE = 'database.dump';
/** Missing when DATA_DIR has no secrets. */
export const SECRETS_FILE = 'secrets.json';
/** The files of DATA_DIR that are sealed into it. */
export const SECRET_NAMES = ['jwt-secret', 'encryption-key'];
