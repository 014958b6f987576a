/** The least that the rules need of a tree: parse5's satisfies it, and the dashboard makes one of the browser's. */
import type { Attribute } from '../reading/list-markers.ts';

export interface ForeignElement {
  tagName: string;
  attrs: readonly Attribute[];
  childNodes: readonly ForeignNode[];
}

/** Comments and the like have none of these. */
export type ForeignNode = ForeignElement | { value: string } | { nodeName: string };

export function isElement(node: ForeignNode): node is ForeignElement {
  return 'tagName' in node;
}

export function isText(node: ForeignNode): node is { value: string } {
  return 'value' in node;
}

export function attributeOf({ attrs }: ForeignElement, name: string): string | undefined {
  return attrs.find((one) => one.name === name)?.value;
}

export function textOf(node: ForeignNode): string {
  if (isText(node)) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
