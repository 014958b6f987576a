const KEPT = 'campanile-push';

/** The key that this browser was subscribed for, by whoever uses it; undefined where it is told nothing. */
export function keptPush(): string | undefined {
  return localStorage.getItem(KEPT) ?? undefined;
}

export function keepPushKey(publicKey: string | undefined): void {
  if (publicKey === undefined) localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, publicKey);
}
