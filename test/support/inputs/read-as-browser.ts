/** Reads HTML with all of parse5: the reference for our own reader. */
import { defaultTreeAdapter, html as htmlNames, parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import type { DocumentWriter } from '../../../src/content/text/reading/document-writer.ts';
import { readTarget } from '../../../src/content/text/reading/link.ts';
import { NO_TRAITS, readListTraits } from '../../../src/content/text/reading/list-markers.ts';
import { roleOf } from '../../../src/content/text/reading/tags.ts';

/** Emits the tree of HTML with allowed tags only to `sink`. */
export function readAsBrowser(html: string, sink: DocumentWriter): void {
  // The content of a body, not parse5's own default of a template, in which `</br>` breaks no line.
  const body = defaultTreeAdapter.createElement('body', htmlNames.NS.HTML, []);
  tell(parseFragment(body, html, {}), undefined, sink);
}

/** `link` is the target of the link around a node. In nested links a click follows the inner one. */
function tell(node: DefaultTreeAdapterTypes.Node, link: string | undefined, sink: DocumentWriter): void {
  if ('value' in node) return sink.text(node.value);
  const role = 'tagName' in node ? roleOf(node.tagName) : undefined;
  const value = 'tagName' in node && role === 'link' ? targetOf(node) : undefined;
  const children = 'childNodes' in node ? node.childNodes : [];
  if (role === undefined || (role === 'link' && value === undefined)) {
    for (const child of children) tell(child, link, sink);
    return;
  }
  if (role === 'link' && link !== undefined) sink.close('link');
  const isList = role === 'numbers' || role === 'bullets' || role === 'item';
  sink.open(role, value, 'attrs' in node && isList ? readListTraits(node.attrs) : NO_TRAITS);
  for (const child of children) tell(child, role === 'link' ? value : link, sink);
  if (role !== 'break') sink.close(role);
  if (role === 'link' && link !== undefined) sink.open('link', link);
}

function targetOf({ attrs }: DefaultTreeAdapterTypes.Element): string | undefined {
  const value = attrs.find(({ name }) => name === 'href')?.value;
  return value === undefined ? undefined : readTarget(value);
}
