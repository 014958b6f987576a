/** Characters that cannot be seen: zero-width spaces and joiners, signs of direction, variation selectors. */
const INVISIBLE = /[\p{Cf}\u034f\ufe00-\ufe0f]/gu;
/** Of Latin, Greek and Cyrillic letters. The marks of other scripts, such as the vowels of Devanagari, tell words apart. */
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Returns the form in which names of fields, and names of groups, are compared: without regard to case, accents, the amount of space,
 * invisible characters and the normal form of Unicode.
 */
export function foldFieldName(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(INVISIBLE, '').replaceAll(ACCENTS, '');
  return plain.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** Returns a name without what cannot be seen, and without space around it or twice in it. */
export function cleanName(name: string): string {
  return name.replaceAll(INVISIBLE, '').normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}

/** Returns the names in their order, each once however it is written. The first of several counts. */
export function dropRepeatedNames(names: readonly string[]): string[] {
  const folded = names.map(foldFieldName);
  return names.filter((_, index) => folded.indexOf(folded[index] ?? '') === index);
}
