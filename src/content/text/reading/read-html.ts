import {
  defaultTreeAdapter,
  html as htmlNames,
  Parser,
  Tokenizer,
  Token,
  type DefaultTreeAdapterTypes,
  type TokenHandler,
} from 'parse5';
import type { PlaceholderReader } from '../placeholders.ts';
import { readTarget } from './link.ts';
import { findIgnored } from './ignored-styles.ts';
import { TEXT_STATES } from './text-states.ts';
import { ATTRIBUTES, DEPTH_LIMIT, FOREIGN_ATTRIBUTES, roleOf, WRAPPERS } from './tags.ts';

/** The most elements of HTML of this length. Only tags that nobody writes, reopened in block after block, make more. */
function elementLimit(length: number): number {
  return 1_000 + length;
}

/** The parts of the author's HTML that cannot be sent; empty when the HTML is fine. */
export interface Findings {
  /** Names of tags that are not allowed, each once, in the order they were first met. */
  tags: Set<string>;
  /** `href`s that are no http, https, mailto or tel addresses, each once. */
  links: Set<string>;
  /** Styles that would decide what one sees, each once. */
  styles: Set<string>;
  /** Whether allowed tags have styles, which may count where HTML is foreign. */
  isStyled: boolean;
  /** Whether tags are nested deeper than `DEPTH_LIMIT`. */
  isTooDeep: boolean;
  /** Whether it makes more elements than `elementLimit` allows. */
  isTooComplex: boolean;
}

/**
 * Returns the tree that browsers make of HTML, including unclosed and misnested tags. It contains only allowed tags, with no attributes
 * but a checked `href` or those that decide the markers of lists; copies of an element, which misnesting makes, share the attribute list.
 * Findings describe the author's HTML, even where a browser would drop it (a lone `<td>`). The tree is incomplete if it is too deep, too
 * complex, or has tags that are not allowed. With `fields` each `href` has tokens for its placeholders.
 */
export function readHtml(
  html: string,
  fields?: PlaceholderReader,
): { tree: DefaultTreeAdapterTypes.ParentNode; findings: Findings } {
  const author = new Author(html, false, fields);
  return { tree: author.read(), findings: author.findings };
}

/** Returns the tree that browsers make of HTML with all of its tags, for `rewriteForeign`. It is incomplete if it is too complex. */
export function readForeignHtml(html: string): { tree: DefaultTreeAdapterTypes.ParentNode; isTooComplex: boolean } {
  const author = new Author(html, true);
  return { tree: author.read(), isTooComplex: author.findings.isTooComplex };
}

/** Counts all elements ever created. */
let created = 0;

const COUNTING: typeof defaultTreeAdapter = {
  ...defaultTreeAdapter,
  createElement(tagName, namespace, attributes) {
    created++;
    return defaultTreeAdapter.createElement(tagName, namespace, attributes);
  },
};

/** The deepest nesting of foreign tags; those within leave their text, as in browsers. */
const FOREIGN_DEPTH = 500;
const SPACE: Token.CharacterToken = { type: Token.TokenType.WHITESPACE_CHARACTER, chars: ' ', location: null };

/**
 * A filter between the tokenizer and the parser. It passes only allowed tags, unless all are wanted, and none once they are too deep or too
 * many. So the findings include every tag of the author, and the parser's list of open elements stays small for any input: without other
 * attributes at most three of each mark reopen in a new block.
 */
class Author implements TokenHandler {
  readonly findings: Findings = {
    tags: new Set(),
    links: new Set(),
    styles: new Set(),
    isStyled: false,
    isTooDeep: false,
    isTooComplex: false,
  };
  readonly #tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, this);
  readonly #parser: Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>;
  readonly #html: string;
  readonly #isForeign: boolean;
  readonly #fields: PlaceholderReader | undefined;
  readonly #createdBefore = created;
  #isGivenUp = false;

  constructor(html: string, isForeign: boolean, fields?: PlaceholderReader) {
    this.#fields = fields;
    this.#html = html;
    this.#isForeign = isForeign;
    // The content of a body, not parse5's own default of a template, in which `</br>` breaks no line.
    const body = defaultTreeAdapter.createElement('body', htmlNames.NS.HTML, []);
    this.#parser = Parser.getFragmentParser(body, { treeAdapter: COUNTING });
  }

  read(): DefaultTreeAdapterTypes.ParentNode {
    this.#tokenizer.write(this.#html, true);
    return this.#parser.getFragment();
  }

  onStartTag(token: Token.TagToken): void {
    const name = token.tagName;
    const isAllowed = roleOf(name) !== undefined;
    if (!isAllowed) this.#tokenizer.state = TEXT_STATES.get(name) ?? this.#tokenizer.state;
    if (this.#isForeign) return this.#openForeign(token);
    if (!isAllowed) {
      if (!WRAPPERS.has(name)) this.findings.tags.add(name);
      return;
    }
    token.attrs = this.#readAttributes(token);
    if (this.#isGivenUp) return;
    this.#parser.onStartTag(token);
    // The first that is open is the fragment itself.
    this.findings.isTooDeep = this.#parser.openElements.stackTop > DEPTH_LIMIT;
    this.#giveUpIfTooMuch();
  }

  onEndTag(token: Token.TagToken): void {
    if (this.#isGivenUp || (!this.#isForeign && roleOf(token.tagName) === undefined)) return;
    this.#parser.onEndTag(token);
    this.#giveUpIfTooMuch();
  }

  onCharacter(token: Token.CharacterToken): void {
    if (this.#isGivenUp) return;
    this.#parser.onCharacter(token);
    this.#giveUpIfTooMuch();
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    if (this.#isGivenUp) return;
    this.#parser.onWhitespaceCharacter(token);
    this.#giveUpIfTooMuch();
  }

  onNullCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}

  #openForeign(token: Token.TagToken): void {
    if (this.#isGivenUp || this.#parser.openElements.stackTop > FOREIGN_DEPTH) return;
    // The words of cells without a table stay apart.
    if (CELLS.has(token.tagID) && !this.#parser.openElements.hasInTableScope(htmlNames.TAG_ID.TABLE))
      this.onCharacter(SPACE);
    token.attrs = token.attrs.filter(({ name }) => FOREIGN_ATTRIBUTES.has(name));
    this.#parser.onStartTag(token);
    this.#giveUpIfTooMuch();
  }

  /** Those that count. A link whose target is not allowed is without one. */
  #readAttributes({ tagName, attrs }: Token.TagToken): Token.Attribute[] {
    if (attrs.length === 0) return attrs;
    this.#findStyles(tagName, attrs);
    const names = ATTRIBUTES.get(tagName);
    if (tagName !== 'a') return names === undefined ? [] : attrs.filter(({ name }) => names.has(name));
    const href = attrs.find(({ name }) => name === 'href');
    const value = href && readTarget(this.#fields?.readHref(href.value) ?? href.value);
    if (href && value === undefined) this.findings.links.add(href.value);
    return value === undefined ? [] : [{ name: 'href', value }];
  }

  #findStyles(tagName: string, attrs: Token.Attribute[]): void {
    for (const { name, value } of attrs) {
      if (name !== 'style' && name !== 'class' && name !== 'hidden') continue;
      const ignored = findIgnored(tagName, name, value);
      this.findings.isStyled ||= name !== 'class' || ignored !== undefined;
      if (ignored !== undefined) this.findings.styles.add(ignored);
    }
  }

  #giveUpIfTooMuch(): void {
    this.findings.isTooComplex = created - this.#createdBefore > elementLimit(this.#html.length);
    this.#isGivenUp = this.findings.isTooDeep || this.findings.isTooComplex;
  }
}

const CELLS = new Set([htmlNames.TAG_ID.TD, htmlNames.TAG_ID.TH]);
