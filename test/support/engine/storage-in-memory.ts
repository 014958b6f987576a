import type { KeyChange, KeyStorage } from '../../../src/messengers/whatsapp/client/key-storage.ts';

export interface StorageInMemory extends KeyStorage {
  /** The changes of each write that was stored, oldest first. */
  readonly writes: ReadonlyArray<readonly KeyChange[]>;
  /** While true, each write fails. */
  isBroken: boolean;
}

export function createStorageInMemory(): StorageInMemory {
  const kinds = new Map<string, Map<string, Buffer>>();
  const writes: Array<readonly KeyChange[]> = [];
  const storage: StorageInMemory = {
    writes,
    isBroken: false,
    async read(kind, names) {
      await setImmediatePromise();
      const values = kinds.get(kind);
      return new Map(
        names.flatMap((name) => {
          const value = values?.get(name);
          return value ? [[name, Buffer.from(value)] as const] : [];
        }),
      );
    },
    async list(kind) {
      await setImmediatePromise();
      return new Map(kinds.get(kind));
    },
    async write(changes) {
      await setImmediatePromise();
      if (storage.isBroken) throw new Error('the storage is broken');
      writes.push(changes);
      for (const { kind, name, value } of changes) {
        const values = kinds.get(kind) ?? new Map<string, Buffer>();
        kinds.set(kind, values);
        if (value === null) values.delete(name);
        else values.set(name, Buffer.from(value));
      }
    },
  };
  return storage;
}

/** A database never answers at once. */
const setImmediatePromise = () => new Promise<void>((resolve) => void setImmediate(resolve));
