import type { ForeignNode } from '../../src/content/text/foreign/node.ts';
import { rewriteForeign } from '../../src/content/text/foreign/rewrite-foreign.ts';

const SHEETS = /<style\b[^>]*>([^]*?)<\/style\s*>/gi;

/**
 * Returns pasted html as html of a campaign, by the rules by which the service reads foreign html. Calls `onPlainText` if some of it is a
 * style that a message cannot hold.
 */
export function cleanPasted(pasted: string, onPlainText: () => void): string {
  // The CSP rejects styles. Renames the attribute in the source text, since a parser would already apply styles; only within tags, so that
  // no text changes.
  const sheets = [...pasted.matchAll(SHEETS)].map(([, css = '']) => ({ value: css }));
  const harmless = pasted
    .replaceAll(SHEETS, '')
    .replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/\sstyle(?=\s*=)/gi, ' data-style'));
  const { body } = new DOMParser().parseFromString(harmless, 'text/html');
  const sheet = { tagName: 'style', attrs: [], childNodes: sheets };
  const { html, isPlainer } = rewriteForeign([sheet, ...[...body.childNodes].map(toForeignNode)]);
  if (isPlainer) onPlainText();
  return sliceMark(body) + html;
}

function toForeignNode(node: Node): ForeignNode {
  if (node instanceof Text) return { value: node.data };
  if (!(node instanceof Element)) return { nodeName: node.nodeName };
  return {
    tagName: node.localName,
    attrs: [...node.attributes].map(({ name, value }) => ({ name: name === 'data-style' ? 'style' : name, value })),
    childNodes: [...node.childNodes].map(toForeignNode),
  };
}

/** Returns the mark by which ProseMirror knows how much of the copied blocks was selected. */
function sliceMark(body: HTMLElement): string {
  const slice = body.querySelector('[data-pm-slice]')?.getAttribute('data-pm-slice');
  if (slice === null || slice === undefined) return '';
  const mark = body.ownerDocument.createElement('span');
  mark.setAttribute('data-pm-slice', slice.replace(/^(\d+ \d+) -\d+/, '$1'));
  return mark.outerHTML;
}
