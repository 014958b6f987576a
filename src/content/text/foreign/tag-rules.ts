/** The effect of each tag of foreign HTML; a tag that is not here leaves its text. */
const RULES = {
  bold: 'b strong',
  italic: 'i em',
  break: 'br',
  box: 'input',
  raised: 'sup',
  lowered: 'sub',
  quote: 'q',
  link: 'a',
  image: 'img',
  heading: 'h1 h2 h3 h4 h5 h6',
  list: 'ol ul menu dir',
  item: 'li',
  table: 'table',
  cell: 'td th',
  // Each begins a line of its own; those of `paragraph` and `pre` have an empty line around them, too.
  line: 'address article aside caption center dd details dialog div dt fieldset figcaption footer form header legend main nav optgroup option section summary tbody tfoot thead tr',
  paragraph: 'blockquote dl figure hr p',
  pre: 'listing plaintext pre xmp',
  // A browser does not show these.
  unseen:
    'annotation applet audio canvas datalist iframe meter noembed noframes noscript object progress script style svg template title video',
  // What a reviewer has deleted.
  gone: 'del',
} as const;

export type Effect = keyof typeof RULES;

const EFFECT_OF = new Map(
  Object.entries(RULES).flatMap(([effect, names]) => names.split(' ').map((name) => [name, effect as Effect] as const)),
);

export function effectOf(tagName: string): Effect | undefined {
  return EFFECT_OF.get(tagName);
}
