import { TYPED } from '../typed-text.ts';

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
export const WRAPPERS: ReadonlySet<string> = new Set(['html', 'head', 'body']);

/** The attributes of tags that count in HTML of the specification. */
export const ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['p', new Set<string>([TYPED.name])],
  ['a', new Set(['href'])],
  ['ol', new Set(['start', 'type'])],
  [
    'li',
    new Set(['value', 'data-list', 'class', 'aria-level', 'data-aria-level', 'aria-checked', 'data-inline-task-id']),
  ],
]);

/** The attributes that count in foreign HTML. */
export const FOREIGN_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...[...ATTRIBUTES.values()].flatMap((names) => [...names]),
  'alt',
  'checked',
  'hidden',
  'style',
]);

/** The deepest nesting of tags (contract §2, status 400). */
export const DEPTH_LIMIT = 100;
