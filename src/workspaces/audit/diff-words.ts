/** A piece of the difference between two texts. Those that are the same or added make the new text, those the same or removed the old. */
export interface WordChange {
  change: 'same' | 'removed' | 'added';
  text: string;
}

/** So many pairs of words are compared; a larger difference is shown as one replaced piece. */
const MOST_PAIRS = 1_000_000;
/** A word or the space between two. Each is compared as a whole, so that the pieces put together are the text. */
const WORD = /\s+|[^\s]+/gu;

/** Returns the words of a text and the spaces between them. */
export function splitWords(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Returns how many words two texts have in common at their start, and at their end without those. */
export function countEqualEnds(old: readonly string[], now: readonly string[]): { start: number; end: number } {
  const shortest = Math.min(old.length, now.length);
  let start = 0;
  while (start < shortest && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return { start, end };
}

/** Returns the difference between two texts word by word, as a longest common subsequence. */
export function diffWords(before: string, after: string): WordChange[] {
  const [old, now] = [splitWords(before), splitWords(after)];
  const { start, end } = countEqualEnds(old, now);
  const middle = diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const same = (words: string[]): WordChange => ({ change: 'same', text: words.join('') });
  return join([same(old.slice(0, start)), ...middle, same(old.slice(old.length - end))]);
}

function diffMiddle(old: string[], now: string[]): WordChange[] {
  if (old.length * now.length > MOST_PAIRS)
    return [
      { change: 'removed', text: old.join('') },
      { change: 'added', text: now.join('') },
    ];
  const lengths = commonLengths(old, now);
  const width = now.length + 1;
  const changes: WordChange[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      changes.push({ change: 'same', text: old[i] ?? '' });
      i += 1;
      j += 1;
    } else if (
      j >= now.length ||
      (i < old.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      changes.push({ change: 'removed', text: old[i] ?? '' });
      i += 1;
    } else {
      changes.push({ change: 'added', text: now[j] ?? '' });
      j += 1;
    }
  }
  return changes;
}

/** The lengths of the longest common subsequences of all ends of both, row by row. */
function commonLengths(old: string[], now: string[]): Uint16Array {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        old[i] === now[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  return lengths;
}

function join(changes: readonly WordChange[]): WordChange[] {
  const joined: WordChange[] = [];
  for (const { change, text } of changes) {
    const last = joined.at(-1);
    if (text === '') continue;
    if (last?.change === change) last.text += text;
    else joined.push({ change, text });
  }
  return joined;
}
