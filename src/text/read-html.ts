import { html as htmlNames, defaultTreeAdapter, Parser, TokenizerMode, type DefaultTreeAdapterTypes } from 'parse5';
import type { DefaultTreeAdapterMap, Token } from 'parse5';
import { readTarget } from './link.ts';
import { DEPTH_LIMIT, roleOf, type HtmlSink } from './tags.ts';

type Element = DefaultTreeAdapterTypes.Element;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** What an author wrote that cannot be sent; nothing in it when the HTML is fine. */
export interface Findings {
  /** Names of tags that are not allowed, each once, in the order they were first met. */
  tags: Set<string>;
  /** `href`s that are not whole http, https, mailto or tel addresses, each once. */
  links: Set<string>;
  /** Whether tags are nested deeper than `DEPTH_LIMIT`. */
  tooDeep: boolean;
}

// Dropped without a word: editors and mail programs wrap what they hand over in these.
const WRAPPERS = new Set(['html', 'head', 'body']);

// What stands inside these is not HTML, so tags in there are not tags.
const TEXT_STATES = new Map([
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['noscript', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
]);

/**
 * Reads HTML as a browser does, unclosed and misnested tags included, and tells `sink` what it finds, in time linear in its
 * length. Findings are of what the author wrote, also where a browser would drop it (a lone `<td>`). Where there are any, `sink`
 * hears nothing.
 */
export function readHtml(html: string, sink: HtmlSink): Findings {
  const findings: Findings = { tags: new Set(), links: new Set(), tooDeep: false };
  // The content of a body, not parse5's own default of a template, in which `</br>` breaks no line.
  const body = defaultTreeAdapter.createElement('body', htmlNames.NS.HTML, []);
  const parser = Parser.getFragmentParser<DefaultTreeAdapterMap>(body);
  listenToAuthor(parser, findings);
  parser.tokenizer.write(html, true);
  if (findings.tags.size === 0 && findings.links.size === 0 && !findings.tooDeep) tell(parser.getFragment(), sink);
  return findings;
}

/**
 * Stands between parse5's tokenizer and its tree builder: only allowed tags reach the tree, without the attributes we ignore, and
 * none once it is too deep. So nothing the author wrote goes unseen, and the tree stays shallow whatever is sent.
 */
function listenToAuthor(parser: Parser<DefaultTreeAdapterMap>, findings: Findings): void {
  const build = { start: parser.onStartTag.bind(parser), end: parser.onEndTag.bind(parser) };
  const buildText = parser.onCharacter.bind(parser);
  parser.onStartTag = (token) => {
    const role = roleOf(token.tagName);
    if (role === undefined) {
      if (!WRAPPERS.has(token.tagName)) findings.tags.add(token.tagName);
      parser.tokenizer.state = TEXT_STATES.get(token.tagName) ?? parser.tokenizer.state;
      return;
    }
    token.attrs = keptAttributes(token, findings);
    if (findings.tooDeep) return;
    build.start(token);
    // The lowest of the open elements is the root, which nobody wrote.
    findings.tooDeep = parser.openElements.stackTop > DEPTH_LIMIT;
  };
  parser.onEndTag = (token) => {
    if (roleOf(token.tagName) !== undefined && !findings.tooDeep) build.end(token);
  };
  parser.onCharacter = (token) => {
    if (!findings.tooDeep) buildText(token);
  };
}

function keptAttributes(token: Token.TagToken, findings: Findings): Token.Attribute[] {
  if (token.tagName === 'ol') return token.attrs.filter(({ name }) => name === 'start');
  const href = token.tagName === 'a' ? token.attrs.find(({ name }) => name === 'href')?.value : undefined;
  if (href === undefined) return [];
  const target = readTarget(href);
  if (target === undefined) findings.links.add(href);
  return target === undefined ? [] : [{ name: 'href', value: target }];
}

/** Walks a tree in the order of the document; by a stack of our own, since misnesting can make a tree deeper than its source. */
function tell(root: ParentNode, sink: HtmlSink): void {
  const path: { node: ParentNode; next: number }[] = [{ node: root, next: 0 }];
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const child = step.node.childNodes[step.next++];
    if (child === undefined) {
      path.pop();
      if ('tagName' in step.node) close(step.node, sink);
    } else if ('tagName' in child) {
      open(child, sink);
      path.push({ node: child, next: 0 });
    } else if ('value' in child) {
      sink.text(child.value);
    }
  }
}

function open(element: Element, sink: HtmlSink): void {
  const role = roleOf(element.tagName);
  if (role !== undefined) sink.open(role, element.attrs[0]?.value);
}

function close(element: Element, sink: HtmlSink): void {
  const role = roleOf(element.tagName);
  if (role !== undefined && role !== 'break') sink.close(role);
}
