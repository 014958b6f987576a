/** Values by key that are good for a while: the most recently asked for, each made once however many ask at the same time. */
export interface Recent<Key, Value> {
  get(key: Key, make: () => Promise<Value>): Promise<Value>;
  /** What is there already; undefined: nothing that is good. */
  peek(key: Key): Promise<Value> | undefined;
  /** Takes the place of what is there, or is being made. */
  put(key: Key, value: Value): void;
  forget(key: Key): void;
}

interface Entry<Value> {
  value: Promise<Value>;
  weight: number;
  untilMs: number;
}

/**
 * Values that weigh `most` together, each for `forMs` milliseconds. One weighs 1, unless `weigh` says otherwise. A value that could
 * not be made is not kept.
 */
export function keepRecent<Key, Value>({
  most,
  forMs = Infinity,
  weigh = () => 1,
}: {
  most: number;
  forMs?: number;
  weigh?: (value: Value) => number;
}): Recent<Key, Value> {
  const kept = new Map<Key, Entry<Value>>();
  let total = 0;

  function find(key: Key) {
    const known = kept.get(key);
    return known && known.untilMs > performance.now() ? known : undefined;
  }

  function drop(key: Key): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  /** As the most recent one. */
  function keep(key: Key, entry: Entry<Value>): void {
    drop(key);
    kept.set(key, entry);
    total += entry.weight;
    for (const oldest of kept.keys()) {
      if (total <= most) return;
      drop(oldest);
    }
  }

  function begin(key: Key, value: Promise<Value>): Entry<Value> {
    const entry = { value, weight: 1, untilMs: performance.now() + forMs };
    value.then(
      (made) => {
        if (kept.get(key) === entry) keep(key, { ...entry, weight: weigh(made) });
      },
      () => {
        if (kept.get(key) === entry) drop(key);
      },
    );
    return entry;
  }

  return {
    get(key, make) {
      const entry = find(key) ?? begin(key, make());
      keep(key, entry);
      return entry.value;
    },
    peek: (key) => find(key)?.value,
    put: (key, value) =>
      keep(key, { value: Promise.resolve(value), weight: weigh(value), untilMs: performance.now() + forMs }),
    forget: drop,
  };
}
