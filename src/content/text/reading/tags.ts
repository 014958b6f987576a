/** The tags of the specification ("Allowed HTML tags"), and no others, each with its effect on the text. */
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

export type Role = (typeof ROLES)[keyof typeof ROLES];

const ROLE_OF = new Map<string, Role>(Object.entries(ROLES));

/** Returns a tag's role by its lower-case name; undefined for a tag that is not allowed. */
export function roleOf(tagName: string): Role | undefined {
  return ROLE_OF.get(tagName);
}

// Dropped silently: editors and mail programs wrap their HTML in these.
const WRAPPERS = new Set(['html', 'head', 'body']);

export function isWrapper(tagName: string): boolean {
  return WRAPPERS.has(tagName);
}

// Of a pasted page: elements that begin a line of their own, and those whose content a browser does not show.
const BLOCKS = new Set(
  'address article aside blockquote caption center dd details dialog div dl dt fieldset figcaption figure footer form header hr main nav pre section summary table tr'.split(
    ' ',
  ),
);
const CELLS = new Set(['td', 'th']);
const HIDDEN = new Set(['iframe', 'noembed', 'noframes', 'noscript', 'script', 'style', 'title']);

export function isBlock(tagName: string): boolean {
  return BLOCKS.has(tagName);
}

export function isCell(tagName: string): boolean {
  return CELLS.has(tagName);
}

export function isHidden(tagName: string): boolean {
  return HIDDEN.has(tagName);
}

/** The attribute whose value counts of a tag; undefined when none does. */
export function attributeOf(tagName: string): string | undefined {
  if (tagName === 'a') return 'href';
  return tagName === 'ol' ? 'start' : undefined;
}

/** The deepest nesting of tags (contract §2, status 400). */
export const DEPTH_LIMIT = 100;
