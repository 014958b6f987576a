import {
  defaultTreeAdapter,
  html as htmlNames,
  Parser,
  serialize,
  Tokenizer,
  Token,
  type DefaultTreeAdapterTypes,
  type TokenHandler,
} from 'parse5';
import { readTarget } from './link.ts';
import { TEXT_STATES } from './text-states.ts';
import { attributeOf, DEPTH_LIMIT, isBlock, isCell, isHidden, isWrapper, roleOf } from './tags.ts';

/** The most elements of HTML of this length. Only tags that nobody writes, reopened in block after block, make more. */
function elementLimit(length: number): number {
  return 1_000 + length;
}

/** How tags that are not allowed are treated: `drop` takes them out and keeps the text within. */
export type UnknownTags = 'reject' | 'drop';

/** The parts of the author's HTML that cannot be sent; empty when the HTML is fine. */
export interface Findings {
  /** Names of tags that are not allowed, each once, in the order they were first met. */
  tags: Set<string>;
  /** `href`s that are no http, https, mailto or tel addresses, each once. */
  links: Set<string>;
  /** Whether tags are nested deeper than `DEPTH_LIMIT`. */
  isTooDeep: boolean;
  /** Whether it makes more elements than `elementLimit` allows. */
  isTooComplex: boolean;
}

/**
 * Returns the tree that browsers make of HTML, including unclosed and misnested tags. It contains only allowed tags, with no attributes
 * but a checked `href` or the `start` of an `ol`; copies of an element, which misnesting makes, share the attribute list. Findings
 * describe the author's HTML, even where a browser would drop it (a lone `<td>`). The tree is incomplete if it is too deep or too complex,
 * and with tags that are not allowed, unless these are dropped.
 */
export function readHtml(
  html: string,
  unknownTags: UnknownTags,
): { tree: DefaultTreeAdapterTypes.ParentNode; findings: Findings } {
  const author = new Author(html, unknownTags);
  return { tree: author.read(), findings: author.findings };
}

/** Returns the HTML of a tree: that of the author without attributes and tags that do not count. */
export function writeHtml(tree: DefaultTreeAdapterTypes.ParentNode): string {
  return serialize(tree);
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

/**
 * A filter between the tokenizer and the parser. It passes only allowed tags, and none once they are too deep or too many. So the findings
 * include every tag of the author, and the parser's list of open elements stays small for any input: without other attributes at most
 * three of each mark reopen in a new block.
 */
class Author implements TokenHandler {
  readonly findings: Findings = { tags: new Set(), links: new Set(), isTooDeep: false, isTooComplex: false };
  readonly #tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, this);
  readonly #parser: Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>;
  readonly #html: string;
  readonly #unknownTags: UnknownTags;
  /** The dropped element whose content is dropped, too. */
  #hidden: string | undefined;
  readonly #createdBefore = created;
  #isGivenUp = false;

  constructor(html: string, unknownTags: UnknownTags) {
    this.#html = html;
    this.#unknownTags = unknownTags;
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
    if (roleOf(name) === undefined) {
      if (!isWrapper(name)) this.findings.tags.add(name);
      this.#tokenizer.state = TEXT_STATES.get(name) ?? this.#tokenizer.state;
      if (this.#unknownTags === 'drop') this.#dropStartTag(token);
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
    if (token.tagName === this.#hidden) this.#hidden = undefined;
    const isDropped = roleOf(token.tagName) === undefined;
    if (this.#isGivenUp || (isDropped && !(this.#unknownTags === 'drop' && isBlock(token.tagName)))) return;
    this.#parser.onEndTag(isDropped ? asParagraph(token) : token);
    this.#giveUpIfTooMuch();
  }

  onCharacter(token: Token.CharacterToken): void {
    if (this.#isGivenUp || this.#hidden !== undefined) return;
    this.#parser.onCharacter(token);
    this.#giveUpIfTooMuch();
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}

  /** A dropped block becomes a paragraph, and a dropped cell a space, so that words stay apart. */
  #dropStartTag(token: Token.TagToken): void {
    const name = token.tagName;
    if (isHidden(name)) this.#hidden = name;
    if (isCell(name)) this.onCharacter({ type: Token.TokenType.WHITESPACE_CHARACTER, chars: ' ', location: null });
    if (isBlock(name)) this.onStartTag(asParagraph(token));
  }

  /** The one that counts. A link whose target is not allowed is without one. */
  #readAttributes({ tagName, attrs }: Token.TagToken): Token.Attribute[] {
    const wanted = attrs.find(({ name }) => name === attributeOf(tagName));
    if (wanted === undefined || tagName !== 'a') return wanted ? [wanted] : [];
    const value = readTarget(wanted.value);
    if (value === undefined) this.findings.links.add(wanted.value);
    return value === undefined ? [] : [{ name: wanted.name, value }];
  }

  #giveUpIfTooMuch(): void {
    this.findings.isTooComplex = created - this.#createdBefore > elementLimit(this.#html.length);
    this.#isGivenUp = this.findings.isTooDeep || this.findings.isTooComplex;
  }
}

function asParagraph(token: Token.TagToken): Token.TagToken {
  return { ...token, tagName: 'p', tagID: htmlNames.TAG_ID.P, attrs: [], selfClosing: false };
}
