/** Lists of Word, which are no lists in its HTML: paragraphs with a style, or for the web one list for each item. */
import { levelsBelow, readListTraits, type Letters } from '../reading/list-markers.ts';
import type { ItemStart } from './allowed-writer.ts';
import { attributeOf, isElement, textOf, type ForeignElement, type ForeignNode } from './node.ts';
import { readLook, type StyleSheet } from './styles.ts';

export interface WordItem extends ItemStart {
  letters: Letters | undefined;
  element: ForeignElement;
  content: readonly ForeignNode[];
}

const WEB_CLASS = /(?:^|\s)ListContainerWrapper(?:\s|$)/;

/** Whether an element is a part of a list that neighbours may continue. */
export function isListPart(element: ForeignElement): boolean {
  if (element.tagName === 'p')
    return /mso-list\s*:\s*l\d/i.test(attributeOf(element, 'style') ?? '') || isFilteredItem(element);
  return element.tagName === 'div' && WEB_CLASS.test(attributeOf(element, 'class') ?? '');
}

/** The gap that Word writes between a marker and its item. */
const isMarkerGap = (node: ForeignNode) =>
  isElement(node) && /\bfont:\s*7\.0pt "?Times New Roman/i.test(attributeOf(node, 'style') ?? '');

/** Whether a paragraph is an item of a page that Word saved as a filtered one: a marker and a gap, and no `mso-list`. */
function isFilteredItem(paragraph: ForeignElement): boolean {
  return (
    /\bMsoListParagraph/.test(attributeOf(paragraph, 'class') ?? '') && findAll(paragraph, isMarkerGap).length === 1
  );
}

/** Returns the items of parts that follow each other; levels count from the outermost of them. */
export function readWordItems(parts: readonly ForeignElement[], sheet: StyleSheet): WordItem[] {
  const items = parts.flatMap((part) => (part.tagName === 'p' ? [readParagraph(part, sheet)] : readContainer(part)));
  const outermost = Math.min(...items.map(({ below }) => below));
  return items.map((item) => ({ ...item, below: item.below - outermost }));
}

function readContainer(container: ForeignElement): WordItem[] {
  return elementsIn(container)
    .filter(({ tagName }) => tagName === 'ol' || tagName === 'ul')
    .flatMap((list) => {
      const { number, letters } = readListTraits(list.attrs);
      const items = elementsIn(list).filter(({ tagName }) => tagName === 'li');
      return items.map((element, index): WordItem => {
        const traits = readListTraits(element.attrs);
        return {
          kind: list.tagName === 'ol' ? 'ordered' : 'bullet',
          number: number === undefined ? undefined : number + index,
          below: levelsBelow(traits, 1),
          letters,
          element,
          content: element.childNodes,
        };
      });
    });
}

function elementsIn({ childNodes }: ForeignElement): ForeignElement[] {
  return childNodes.filter(isElement);
}

function readParagraph(paragraph: ForeignElement, sheet: StyleSheet): WordItem {
  const { wordList } = readLook(paragraph, sheet);
  const isIgnored = (node: ForeignNode) => isElement(node) && readLook(node, sheet).wordList === 'ignore';
  const gapAt = paragraph.childNodes.findIndex((node) => findAll(node, isMarkerGap).length > 0);
  const toGap = new Set(paragraph.childNodes.slice(0, gapAt + 1));
  const isMarker = wordList === undefined ? (node: ForeignNode) => toGap.has(node) : isIgnored;
  const written = findAll(paragraph, isMarker).map(textOf).join('').trim();
  const level = wordList === undefined ? levelOfMargin(paragraph) : Number(/level(\d)/.exec(wordList)?.[1] ?? '1');
  const content = paragraph.childNodes.map((node) => without(node, isMarker)).filter((node) => node !== undefined);
  return { ...readMarker(written), below: level - 1, element: paragraph, content };
}

const MARGIN_OF_LEVEL: Readonly<Record<string, number>> = { pt: 36, in: 0.5, cm: 1.27 };

/** The style sheet of a filtered page has the margin of the first level. */
function levelOfMargin(paragraph: ForeignElement): number {
  const [, margin = '', unit = ''] =
    /margin-left:\s*([\d.]+)(pt|in|cm)/i.exec(attributeOf(paragraph, 'style') ?? '') ?? [];
  return Math.max(1, Math.round(Number(margin) / (MARGIN_OF_LEVEL[unit.toLowerCase()] ?? 1)));
}

/** Reads `1.`, `b)` or `iv.`; anything else is a bullet. */
function readMarker(written: string): Pick<WordItem, 'kind' | 'number' | 'letters'> {
  const sign = /^\(?(\d{1,5}|[a-z]{1,5})[.)]/i.exec(written)?.[1];
  if (sign === undefined) return { kind: 'bullet', number: undefined, letters: undefined };
  if (/^\d/.test(sign)) return { kind: 'ordered', number: Number(sign), letters: undefined };
  const isSmall = sign === sign.toLowerCase();
  if (/^[ivx]+$/i.test(sign)) return { kind: 'ordered', number: undefined, letters: isSmall ? 'i' : 'I' };
  return { kind: 'ordered', number: undefined, letters: isSmall ? 'a' : 'A' };
}

function findAll(node: ForeignNode, isWanted: (node: ForeignNode) => boolean): ForeignNode[] {
  if (isWanted(node)) return [node];
  return 'childNodes' in node ? node.childNodes.flatMap((child) => findAll(child, isWanted)) : [];
}

function without(node: ForeignNode, isUnwanted: (node: ForeignNode) => boolean): ForeignNode | undefined {
  if (isUnwanted(node)) return undefined;
  if (!isElement(node)) return node;
  const { tagName, attrs, childNodes } = node;
  return {
    tagName,
    attrs,
    childNodes: childNodes.map((child) => without(child, isUnwanted)).filter((child) => child !== undefined),
  };
}
