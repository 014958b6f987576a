/** Values by key that are good for a while: the most recently asked for, each made once however many ask at the same time. */
export interface Recent<Key, Value> {
  get(key: Key, make: () => Promise<Value>): Promise<Value>;
  /** What is there already; undefined: nothing that is good. */
  peek(key: Key): Promise<Value> | undefined;
  forget(key: Key): void;
}

/** At most `most`, each for `forMs` milliseconds. A value that could not be made is not kept. */
export function keepRecent<Key, Value>({
  most,
  forMs = Infinity,
}: {
  most: number;
  forMs?: number;
}): Recent<Key, Value> {
  const kept = new Map<Key, { value: Promise<Value>; untilMs: number }>();

  function find(key: Key) {
    const known = kept.get(key);
    return known && known.untilMs > performance.now() ? known : undefined;
  }

  return {
    get(key, make) {
      const entry = find(key) ?? { value: make(), untilMs: performance.now() + forMs };
      kept.delete(key);
      kept.set(key, entry);
      entry.value.catch(() => {
        if (kept.get(key) === entry) kept.delete(key);
      });
      const oldest = kept.keys().next();
      if (kept.size > most && !oldest.done) kept.delete(oldest.value);
      return entry.value;
    },
    peek: (key) => find(key)?.value,
    forget: (key) => void kept.delete(key),
  };
}
