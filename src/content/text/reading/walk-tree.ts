import type { DefaultTreeAdapterTypes } from 'parse5';
import type { DocumentWriter } from './document-writer.ts';
import { NO_TRAITS, readListTraits } from './list-markers.ts';
import { roleOf } from './tags.ts';
import { isTyped } from '../typed-text.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Walks a tree of allowed tags from `readHtml`, and calls the writer for each node. */
export function walkTree(tree: Node, writer: DocumentWriter): void {
  const withText = new Set<unknown>();
  findLinksWithText(tree, undefined, withText);
  walkNode(tree, undefined, { writer, withText });
}

/** Adds the links that have text, and of each the attributes that it shares with its copies. */
function findLinksWithText(node: Node, link: Element | undefined, found: Set<unknown>): void {
  if ('value' in node && link !== undefined) found.add(link).add(link.attrs);
  if (!('childNodes' in node)) return;
  // An `a` without a target is no link: its content belongs to the link around it.
  const within = 'tagName' in node && node.tagName === 'a' && node.attrs.length > 0 ? node : link;
  for (const child of node.childNodes) findLinksWithText(child, within, found);
}

interface WalkContext {
  writer: DocumentWriter;
  withText: ReadonlySet<unknown>;
}

/** `link` is the target of the link around a node. Where links are within links after all, the inner one is what a click follows. */
function walkNode(node: Node, link: string | undefined, context: WalkContext): void {
  if ('value' in node) return context.writer.text(node.value);
  if (!('childNodes' in node)) return;
  const role = 'tagName' in node ? roleOf(node.tagName) : undefined;
  const value = 'tagName' in node && role === 'link' ? node.attrs[0]?.value : undefined;
  const isNothing = role === undefined || (role === 'link' && (value === undefined || isEmptyCopy(node, context)));
  if (isNothing) return walkAll(node.childNodes, link, context);
  const { writer } = context;
  if (role === 'paragraph' && 'attrs' in node && isTyped(node.attrs)) return writer.typed(textOf(node));
  const outer = role === 'link' ? link : undefined;
  if (outer !== undefined) writer.close('link');
  writer.open(
    role,
    value,
    'attrs' in node && (role === 'item' || role === 'numbers') ? readListTraits(node.attrs) : NO_TRAITS,
  );
  walkAll(node.childNodes, role === 'link' ? value : link, context);
  writer.close(role);
  if (outer !== undefined) writer.open('link', outer);
}

function walkAll(nodes: readonly Node[], link: string | undefined, context: WalkContext): void {
  for (const node of nodes) walkNode(node, link, context);
}

/** Misnesting leaves empty copies of links that have text elsewhere. */
function isEmptyCopy(node: Node, { withText }: WalkContext): boolean {
  return 'attrs' in node && !withText.has(node) && withText.has(node.attrs);
}

/** Returns the text of a node, with its breaks. */
function textOf(node: Node): string {
  if ('value' in node) return node.value;
  if ('tagName' in node && node.tagName === 'br') return '\n';
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
