/** Where credentials are stored: bytes by kind and name. */
export interface KeyStorage {
  /** The values of those names that exist. */
  read(kind: string, names: readonly string[]): Promise<Map<string, Buffer>>;
  list(kind: string): Promise<Map<string, Buffer>>;
  /** Stores all or none. */
  write(changes: readonly KeyChange[]): Promise<void>;
}

/** A value of null deletes. */
export interface KeyChange {
  kind: string;
  name: string;
  value: Uint8Array | null;
}

/** JSON by kind and name. The library's own kinds are not to be used. */
export type KeyValueStore = ReturnType<typeof createKeyValueStore>;

/** Plain JSON: the library's own format would read a list of numbers as bytes. */
export function createKeyValueStore(storage: KeyStorage) {
  const parse = (found: ReadonlyMap<string, Buffer>) =>
    new Map([...found].map(([name, bytes]) => [name, JSON.parse(bytes.toString()) as unknown]));
  return {
    /** The values of those names that exist. */
    read: async (kind: string, names: readonly string[]) => parse(await storage.read(kind, names)),
    list: async (kind: string) => parse(await storage.list(kind)),
    /** Stores all or none; null deletes. Throws ClaimLostError when a later session has claimed the account. */
    write: (kind: string, values: ReadonlyMap<string, unknown>) =>
      storage.write(
        [...values].map(([name, value]) => ({
          kind,
          name,
          value: value === null ? null : Buffer.from(JSON.stringify(value)),
        })),
      ),
  };
}
