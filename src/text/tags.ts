import { BOLD, ITALIC, PLAIN, type Style } from './document.ts';

/** The tags of the specification ("Allowed HTML tags"), and nothing else, each with what it does to the text. */
const ROLES = {
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  i: 'italic',
  em: 'italic',
  b: 'bold',
  strong: 'bold',
  p: 'paragraph',
  br: 'break',
  a: 'link',
  ul: 'bullets',
  ol: 'numbers',
  li: 'item',
  span: 'plain',
} as const;

export type Tag = keyof typeof ROLES;
export type Role = (typeof ROLES)[Tag];

const ROLE_OF = new Map<string, Role>(Object.entries(ROLES));

/** What a tag does, by its lower-case name; undefined for a tag that is not allowed. */
export function roleOf(tagName: string): Role | undefined {
  return ROLE_OF.get(tagName);
}

const BLOCKS: ReadonlySet<Role> = new Set(['heading', 'paragraph', 'bullets', 'numbers', 'item']);
const FORMATTING: ReadonlySet<Role> = new Set(['bold', 'italic', 'link']);

/** A tag as its author wrote it. `value` is the checked target of a link, or the `start` of numbers. */
export interface WrittenTag {
  name: string;
  role: Role;
  value: string | undefined;
  /** What it makes of its text. */
  style: Style;
  isBlock: boolean;
  /** Whether browsers open it again in the next block when its own was closed before it. */
  isFormatting: boolean;
  /** How many tags it stands for, and which; one that an author wrote is alone. See `bundle`. */
  depth: number;
  parts: readonly WrittenTag[] | undefined;
  /** The link whose target it is that a text in it lies in, by its own tag. */
  link: WrittenTag | undefined;
  /** Of a block, of which there may be tens of thousands: its beginning and its end, as two objects for all of them. */
  opening: BlockStep | undefined;
  closing: BlockStep | undefined;
}

/** A block begins or ends. */
export interface BlockStep {
  kind: 'open' | 'close';
  tag: WrittenTag;
}

const WITHOUT_VALUE = new Map(Array.from(ROLE_OF, ([name, role]) => [name, writtenTag(name, role)]));

/** A tag without a value by its lower-case name; undefined when it is not allowed. */
export function tagNamed(name: string): WrittenTag | undefined {
  return WITHOUT_VALUE.get(name);
}

// Dropped without a word: editors and mail programs wrap what they hand over in these.
const WRAPPERS = new Set(['html', 'head', 'body']);

export function isWrapper(name: string): boolean {
  return WRAPPERS.has(name);
}

const LONGEST_NAME = Math.max(...Array.from(ROLE_OF.keys(), (name) => name.length));
// Most names have one letter or two: these need no string of their own to be found.
const SHORT_NAMES: readonly (WrittenTag | undefined)[] = Array.from({ length: 0x80 * 0x80 }, (_, codes) =>
  tagNamed(String.fromCharCode(...[codes >> 7, codes & 0x7f].filter((code) => code > 0))),
);

/** The tag whose name stands in a text, `[from, to)`, as by `tagNamed`. */
export function tagAt(text: string, from: number, to: number): WrittenTag | undefined {
  if (to - from > 2) return to - from > LONGEST_NAME ? undefined : tagNamed(text.slice(from, to));
  const first = to - from === 2 ? text.charCodeAt(from) : 0;
  const last = text.charCodeAt(to - 1);
  return to > from && first < 0x80 && last < 0x80 ? SHORT_NAMES[first * 0x80 + last] : undefined;
}

function writtenTag(name: string, role: Role, value?: string): WrittenTag {
  const style = role === 'bold' ? BOLD : role === 'italic' ? ITALIC : PLAIN;
  const isBlock = BLOCKS.has(role);
  const isFormatting = FORMATTING.has(role);
  const tag: WrittenTag = {
    name,
    role,
    value,
    style,
    isBlock,
    isFormatting,
    depth: 1,
    parts: undefined,
    link: undefined,
    opening: undefined,
    closing: undefined,
  };
  if (role === 'link') tag.link = tag;
  if (isBlock) {
    tag.opening = { kind: 'open', tag };
    tag.closing = { kind: 'close', tag };
  }
  return tag;
}

/** The attribute whose value counts of a tag; undefined when none does. */
export function attributeOf(role: Role): string | undefined {
  if (role === 'link') return 'href';
  return role === 'numbers' ? 'start' : undefined;
}

export function withValue({ name, role }: WrittenTag, value: string): WrittenTag {
  return writtenTag(name, role, value);
}

/** The body of a document, which nobody writes. */
export const BODY_TAG = writtenTag('body', 'plain');

/** How deep tags may be nested (contract §2, status 400). */
export const DEPTH_LIMIT = 100;

/**
 * What a reader of HTML tells, in the order of the document. Every `open` but that of a `break` has its `close`. Blocks are well
 * nested; bold, italic and links need not be, neither with blocks nor among themselves. Links are never within links.
 * `value` is the checked target of a link, or the `start` of numbers; undefined where the author gave none.
 */
export interface HtmlSink {
  open(role: Role, value: string | undefined): void;
  close(role: Role): void;
  text(text: string): void;
  /** Whether all else it could be told makes no difference any more, so that it need not be told. */
  isFull(): boolean;
}
