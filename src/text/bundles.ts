import { PLAIN, type Style } from './document.ts';
import type { WrittenTag } from './tags.ts';

/**
 * One tag that stands for several marks and links, each within the one before. Marks that open again in block after block do so as
 * one element with such a tag, since there may be most of a million of them.
 */
export function bundle(tags: readonly WrittenTag[]): WrittenTag {
  const [only] = tags;
  if (only !== undefined && tags.length === 1) return only;
  const parts: WrittenTag[] = [];
  let style: Style = PLAIN;
  let link: WrittenTag | undefined;
  for (const tag of tags) {
    if (tag.parts === undefined) parts.push(tag);
    else parts.push(...tag.parts);
    style |= tag.style;
    // Of links within each other, which only misnesting makes, the innermost with a target counts.
    if (tag.link !== undefined && (tag.value !== undefined || link?.value === undefined)) link = tag.link;
  }
  return {
    name: '',
    role: link?.role ?? 'plain',
    value: link?.value,
    style,
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
  const tags: WrittenTag[] = [];
  if (index > 0) tags.push(bundle(parts.slice(0, index)));
  tags.push(...parts.slice(index, index + 1));
  if (index + 1 < parts.length) tags.push(bundle(parts.slice(index + 1)));
  return tags;
}
