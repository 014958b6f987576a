/** Puts the entry last and lets the first one go when there are too many. */
export function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > most && !oldest.done) map.delete(oldest.value);
}
