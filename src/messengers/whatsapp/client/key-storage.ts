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
export interface KeyValueStore {
  /** The values of those names that exist. */
  read(kind: string, names: readonly string[]): Promise<Map<string, unknown>>;
  list(kind: string): Promise<Map<string, unknown>>;
  /** Stores all or none; null deletes. Throws ClaimLostError when a later session has claimed the account. */
  write(kind: string, values: ReadonlyMap<string, unknown>): Promise<void>;
}

/** Plain JSON: the library's own format would read a list of numbers as bytes. */
export function createKeyValueStore(storage: KeyStorage): KeyValueStore {
  const parse = (found: ReadonlyMap<string, Buffer>) =>
    new Map([...found].map(([name, bytes]) => [name, JSON.parse(bytes.toString()) as unknown]));
  return {
    read: async (kind, names) => parse(await storage.read(kind, names)),
    list: async (kind) => parse(await storage.list(kind)),
    write: (kind, values) =>
      storage.write(
        [...values].map(([name, value]) => ({
          kind,
          name,
          value: value === null ? null : Buffer.from(JSON.stringify(value)),
        })),
      ),
  };
}
