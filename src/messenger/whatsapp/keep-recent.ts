/** Values by key that are good for a while: the most recently asked for, each made once however many ask at the same time. */
export interface Recent<Value> {
  get(key: string, make: () => Promise<Value>): Promise<Value>;
  /** What is there already; undefined: nothing that is good. */
  peek(key: string): Promise<Value> | undefined;
  forget(key: string): void;
  clear(): void;
}

/** A value that could not be made is not kept. */
export function keepRecent<Value>({ most, forMs }: { most: number; forMs: number }): Recent<Value> {
  const kept = new Map<string, { value: Promise<Value>; untilMs: number }>();
  return {
    get(key, make) {
      const known = kept.get(key);
      kept.delete(key);
      const fresh = known && known.untilMs > performance.now();
      const entry = fresh ? known : { value: make(), untilMs: performance.now() + forMs };
      kept.set(key, entry);
      entry.value.catch(() => {
        if (kept.get(key) === entry) kept.delete(key);
      });
      const oldest = kept.keys().next();
      if (kept.size > most && !oldest.done) kept.delete(oldest.value);
      return entry.value;
    },
    peek(key) {
      const known = kept.get(key);
      return known && known.untilMs > performance.now() ? known.value : undefined;
    },
    forget: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}
