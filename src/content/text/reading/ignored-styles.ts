import { isPlain, readLook, type StyleSheet } from '../foreign/styles.ts';
import { roleOf } from './tags.ts';

const NO_SHEET: StyleSheet = new Map();

/** A style, a class or `hidden` of an allowed tag that counts where HTML is foreign. */
export interface IgnoredStyle {
  /** As its author wrote it. */
  written: string;
  /** Whether it would hide the text, or make it bold or italic, or no longer. */
  isSeen: boolean;
}

/**
 * Returns the style that an attribute is, unless a message could not show it anyway. In HTML of the specification only tags count: `span`
 * is without styling and `b` is bold.
 */
export function findIgnored(tagName: string, name: string, value: string): IgnoredStyle | undefined {
  const look = readLook({ tagName, attrs: [{ name, value }], childNodes: [] }, NO_SHEET);
  if (isPlain(look)) return undefined;
  const role = roleOf(tagName);
  const isBold = role === 'bold' || role === 'heading';
  const isOtherWeight = look.isBold === true ? !isBold : look.isBold === false && role === 'bold';
  const isOtherSlant = look.isItalic !== undefined && look.isItalic !== (role === 'italic');
  const written = name === 'style' ? value : value === '' ? name : `${name}="${value}"`;
  return { written, isSeen: look.isHidden || isOtherWeight || isOtherSlant };
}
