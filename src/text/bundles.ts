import type { WrittenTag } from './tags.ts';

/**
 * One tag that stands for several marks and links, each within the one before. Marks that open again in block after block do so as
 * one element with such a tag, since there may be most of a million of them.
 */
export function bundle(tags: readonly WrittenTag[]): WrittenTag {
  const parts = tags.flatMap(partsOf);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const link = parts.findLast(({ value }) => value !== undefined) ?? parts.find(({ role }) => role === 'link');
  return {
    name: '',
    role: link?.role ?? 'plain',
    value: link?.value,
    style: parts.reduce((style, part) => style | part.style, 0),
    isBlock: false,
    isFormatting: true,
    depth: parts.length,
    parts,
    link,
    opening: undefined,
    closing: undefined,
  };
}

/** The tags that a tag stands for: itself, when it is no bundle. */
export function partsOf(tag: WrittenTag): readonly WrittenTag[] {
  return tag.parts ?? [tag];
}

/** A bundle as up to three tags, of which that at an index of its parts is one. */
export function splitAt(parts: readonly WrittenTag[], index: number): WrittenTag[] {
  return [parts.slice(0, index), parts.slice(index, index + 1), parts.slice(index + 1)]
    .filter(({ length }) => length > 0)
    .map(bundle);
}
