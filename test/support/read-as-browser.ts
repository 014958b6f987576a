/** HTML read by all of parse5, which builds the tree a browser would: what our own reading is held against. */
import { defaultTreeAdapter, html as htmlNames, parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { readTarget } from '../../src/text/link.ts';
import { roleOf, type HtmlSink } from '../../src/text/tags.ts';

/** Tells `sink` the tree of HTML that has only allowed tags. */
export function readAsBrowser(html: string, sink: HtmlSink): void {
  // The content of a body, not parse5's own default of a template, in which `</br>` breaks no line.
  const body = defaultTreeAdapter.createElement('body', htmlNames.NS.HTML, []);
  tell(parseFragment(body, html, {}), sink);
}

function tell(node: DefaultTreeAdapterTypes.Node, sink: HtmlSink): void {
  if ('value' in node) return sink.text(node.value);
  const role = 'tagName' in node ? roleOf(node.tagName) : undefined;
  if ('tagName' in node && role !== undefined) sink.open(role, valueOf(node));
  if ('childNodes' in node) for (const child of node.childNodes) tell(child, sink);
  if (role !== undefined && role !== 'break') sink.close(role);
}

function valueOf({ tagName, attrs }: DefaultTreeAdapterTypes.Element): string | undefined {
  const wanted = tagName === 'a' ? 'href' : 'start';
  const value = attrs.find(({ name }) => name === wanted)?.value;
  return tagName === 'a' && value !== undefined ? readTarget(value) : value;
}
