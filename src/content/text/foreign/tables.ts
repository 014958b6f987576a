import { hasVisible } from '../boundaries.ts';
import { attributeOf, isElement, isText, type ForeignElement, type ForeignNode } from './node.ts';
import { readLook, type StyleSheet } from './styles.ts';
import { effectOf } from './tag-rules.ts';

const SECTIONS = new Set(['thead', 'tbody', 'tfoot']);
const BLOCKS = new Set(['p', 'div', 'li', 'tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Returns the rows of a table, and its caption, in order. */
export function rowsOf(table: ForeignElement): ForeignElement[] {
  return table.childNodes.filter(isElement).flatMap((part) => (SECTIONS.has(part.tagName) ? rowsOf(part) : [part]));
}

/** Returns the cells of a row in which one sees something. */
export function shownCells(row: ForeignElement, sheet: StyleSheet): ForeignElement[] {
  return row.childNodes.filter(isElement).filter((cell) => isSeen(cell, sheet));
}

function isSeen(node: ForeignNode, sheet: StyleSheet): boolean {
  if (isText(node)) return hasVisible(node.value);
  if (!isElement(node) || effectOf(node.tagName) === 'unseen' || readLook(node, sheet).isHidden) return false;
  return hasVisible(attributeOf(node, 'alt') ?? '') || node.childNodes.some((child) => isSeen(child, sheet));
}

/** Whether a row is a line of a table. One with a cell of several blocks is for the layout of a page: its cells are blocks. */
export function isLineRow(cells: readonly ForeignElement[]): boolean {
  return cells.length > 1 && cells.every((cell) => countBlocks(cell.childNodes, 2) < 2);
}

/** Counts blocks, `most` at most: a page may have tables in tables a hundred deep. */
function countBlocks(nodes: readonly ForeignNode[], most: number): number {
  let count = 0;
  for (const node of nodes) {
    if (count >= most) return count;
    if (isElement(node)) count += (BLOCKS.has(node.tagName) ? 1 : 0) + countBlocks(node.childNodes, most - count);
  }
  return count;
}
