/** The file of a draft: too large for where the rest is kept. A browser that keeps nothing (a private window) loses it on reload. */

const STORE = 'files';

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('campanile-drafts', 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
  return settled(request);
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the browser keeps no files')));
  });
}

/** Keeps the file of a draft, or forgets it. Resolves to whether it is kept. */
export async function keepFile(key: string, file: File | null): Promise<boolean> {
  try {
    const database = await open();
    const store = database.transaction(STORE, 'readwrite').objectStore(STORE);
    await (file === null ? settled(store.delete(key)) : settled(store.put(file, key)));
    database.close();
    return true;
  } catch {
    return false;
  }
}

/** The file that was kept; undefined where there is none. */
export async function readFile(key: string): Promise<File | undefined> {
  try {
    const database = await open();
    const kept: unknown = await settled(database.transaction(STORE).objectStore(STORE).get(key));
    database.close();
    return kept instanceof File ? kept : undefined;
  } catch {
    return undefined;
  }
}
