/**
 * Reads what a web page says about itself: Open Graph, then Twitter cards, then plain HTML. Only tags are read and no tree is built, so
 * the time grows with the length of the page and not with its nesting.
 */
import { Tokenizer, type Token, type TokenHandler } from 'parse5';
import { TEXT_STATES } from '../text/reading/text-states.ts';
import { decodePage } from './decode-page.ts';
import { DESCRIPTION_LIMIT, TITLE_LIMIT } from '../post/stored-card.ts';
import { toOneLine } from './link-card.ts';

export interface FetchedPage {
  /** After redirects. */
  url: string;
  /** Its beginning, if it is long. */
  bytes: Uint8Array;
  contentType: string | undefined;
}

export interface PageCard {
  /** Empty if the page has none. */
  title: string;
  description: string;
  imageUrl: string | undefined;
}

const TITLES = ['og:title', 'twitter:title', 'title'];
const DESCRIPTIONS = ['og:description', 'twitter:description', 'description'];
const IMAGES = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src', 'image_src'];
const WANTED = new Set([...TITLES, ...DESCRIPTIONS, ...IMAGES]);
/** A longer value is no title, description or address. */
const LONGEST_VALUE = 10_000;

export function readPage({ url, bytes, contentType }: FetchedPage): PageCard {
  const reader = new PageReader();
  reader.read(decodePage(bytes, contentType));
  const { found } = reader;
  const first = (names: readonly string[]) => names.map((name) => found.get(name)).find((value) => value !== undefined);
  const base = httpUrl(found.get('base'), url) ?? url;
  return {
    title: toOneLine(first(TITLES) ?? '', TITLE_LIMIT),
    description: toOneLine(first(DESCRIPTIONS) ?? '', DESCRIPTION_LIMIT),
    imageUrl: httpUrl(first(IMAGES), base),
  };
}

function httpUrl(address: string | undefined, base: string): string | undefined {
  const url = address === undefined ? null : URL.parse(address, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** Collects the first value of each name that is not blank. */
class PageReader implements TokenHandler {
  readonly found = new Map<string, string>();
  readonly #tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, this);
  #title: string | undefined;
  /** Pictures within have titles, too. */
  #svgDepth = 0;

  read(html: string): void {
    this.#tokenizer.write(html, true);
    this.#endTitle();
  }

  onStartTag(token: Token.TagToken): void {
    const { tagName, attrs } = token;
    this.#endTitle();
    this.#tokenizer.state = TEXT_STATES.get(tagName) ?? this.#tokenizer.state;
    const valueOf = (name: string) => attrs.find((one) => one.name === name)?.value;
    if (tagName === 'svg' && !token.selfClosing) this.#svgDepth += 1;
    if (tagName === 'title' && this.#svgDepth === 0) this.#title = '';
    if (tagName === 'base') this.#add('base', valueOf('href'));
    if (tagName === 'meta')
      for (const name of [valueOf('property'), valueOf('name')]) this.#addMeta(name, valueOf('content'));
    if (tagName === 'link') this.#addLink(valueOf('rel'), valueOf('href'));
  }

  onEndTag({ tagName }: Token.TagToken): void {
    if (tagName === 'svg') this.#svgDepth = Math.max(0, this.#svgDepth - 1);
    this.#endTitle();
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    if (this.#title !== undefined && this.#title.length < LONGEST_VALUE) this.#title += chars.slice(0, LONGEST_VALUE);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}

  #endTitle(): void {
    this.#add('title', this.#title);
    this.#title = undefined;
  }

  #addMeta(name: string | undefined, content: string | undefined): void {
    const known = name?.trim().toLowerCase() ?? '';
    if (WANTED.has(known) && known !== 'title') this.#add(known, content);
  }

  #addLink(rel = '', href: string | undefined): void {
    if (rel.toLowerCase().split(/\s+/).includes('image_src')) this.#add('image_src', href);
  }

  #add(name: string, value: string | undefined): void {
    if (value === undefined || value.trim() === '' || this.found.has(name)) return;
    this.found.set(name, value.slice(0, LONGEST_VALUE));
  }
}
