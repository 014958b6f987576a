import { Tokenizer, TokenizerMode, type Token, type TokenHandler } from 'parse5';
import type { TagTaker } from './scan-html.ts';
import { tagWithValue } from './scan-tag.ts';
import { attributeOf, isWrapper, tagNamed, type WrittenTag } from './tags.ts';

/** What an author wrote that cannot be sent; nothing in it when the HTML is fine. */
export interface Findings {
  /** Names of tags that are not allowed, each once, in the order they were first met. */
  tags: Set<string>;
  /** `href`s that are not whole http, https, mailto or tel addresses, each once. */
  links: Set<string>;
  /** Whether tags are nested deeper than `DEPTH_LIMIT`. */
  tooDeep: boolean;
}

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
 * Reads the tags and texts of any HTML. Findings are of what the author wrote, also where a browser would drop it (a lone `<td>`).
 * Where there are any, what `taker` made of what it took is to be thrown away.
 */
export function tokenizeHtml(html: string, taker: TagTaker): Findings {
  const author = new Author(taker);
  author.read(html);
  return author.findings;
}

/**
 * Stands between parse5's tokenizer and the elements: only allowed tags get there, and none once they are too deep. So nothing the
 * author wrote goes unseen, and the stack of elements stays short whatever is sent.
 */
class Author implements TokenHandler {
  readonly findings: Findings = { tags: new Set(), links: new Set(), tooDeep: false };
  readonly #taker: TagTaker;
  readonly #tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, this);

  constructor(taker: TagTaker) {
    this.#taker = taker;
  }

  read(html: string): void {
    this.#tokenizer.write(html, true);
  }

  onStartTag(token: Token.TagToken): void {
    const name = token.tagName;
    const tag = tagNamed(name);
    if (tag === undefined) {
      if (!isWrapper(name)) this.findings.tags.add(name);
      this.#tokenizer.state = TEXT_STATES.get(name) ?? this.#tokenizer.state;
      return;
    }
    const read = readTag(token, tag, this.findings);
    if (this.findings.tooDeep) return;
    this.findings.tooDeep = !this.#taker.start(read);
  }

  onEndTag(token: Token.TagToken): void {
    const tag = tagNamed(token.tagName);
    if (tag !== undefined && !this.findings.tooDeep) this.#taker.end(tag);
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    if (!this.findings.tooDeep) this.#taker.text(chars);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}
}

/** A tag with its value; a link whose target is not allowed is without one. */
function readTag(token: Token.TagToken, tag: WrittenTag, findings: Findings): WrittenTag {
  const wanted = attributeOf(tag.role);
  const value = wanted && token.attrs.find(({ name }) => name === wanted)?.value;
  if (value === undefined) return tag;
  const read = tagWithValue(tag, value);
  if (read === undefined) findings.links.add(value);
  return read ?? tag;
}
