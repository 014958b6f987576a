import { readLook, type StyleSheet } from '../foreign/styles.ts';
import { roleOf } from './tags.ts';

const NO_SHEET: StyleSheet = new Map();

/**
 * Returns a style, a class or `hidden` of an allowed tag, as its author wrote it, if it would hide the text, or make it bold or italic, or no
 * longer. In HTML of the specification only tags count: `span` is without styling and `b` is bold.
 */
export function findIgnored(tagName: string, name: string, value: string): string | undefined {
  const look = readLook({ tagName, attrs: [{ name, value }], childNodes: [] }, NO_SHEET);
  const role = roleOf(tagName);
  const isBold = role === 'bold' || role === 'heading';
  const isOtherWeight = look.isBold === true ? !isBold : look.isBold === false && role === 'bold';
  const isOtherSlant = look.isItalic !== undefined && look.isItalic !== (role === 'italic');
  if (!look.isHidden && !isOtherWeight && !isOtherSlant) return undefined;
  return name === 'style' ? value : value === '' ? name : `${name}="${value}"`;
}
