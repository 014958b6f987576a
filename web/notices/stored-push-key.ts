const STORAGE_KEY = 'campanile-push';

/** Returns the key that this browser is subscribed with, for any user; undefined if it is not subscribed. */
export function storedPushKey(): string | undefined {
  return localStorage.getItem(STORAGE_KEY) ?? undefined;
}

export function storePushKey(publicKey: string | undefined): void {
  if (publicKey === undefined) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, publicKey);
}
