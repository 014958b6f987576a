import { diffWords, type WordChange } from '../../workspaces/audit/diff-words.ts';

/** How a field of a post differs from the version before. */
export interface FieldChange {
  field: string;
  pieces: WordChange[];
}

/** Returns the fields that differ, each word by word. Values that are no texts are compared as JSON; a missing value is an empty text. */
export function diffPosts(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): FieldChange[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((field) => {
    const [old, now] = [toText(before[field]), toText(after[field])];
    return old === now ? [] : [{ field, pieces: diffWords(old, now) }];
  });
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
