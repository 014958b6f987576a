const STORAGE_KEY = 'campanile-push';

/** The key that this browser was subscribed for, by whoever uses it; undefined where it is told nothing. */
export function storedPushKey(): string | undefined {
  return localStorage.getItem(STORAGE_KEY) ?? undefined;
}

export function storePushKey(publicKey: string | undefined): void {
  if (publicKey === undefined) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, publicKey);
}
