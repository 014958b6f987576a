/**
 * What an author surely did not mean, by the text that members see. Each rule is narrow: a post that means what it says is warned of nothing
 * (docs/reference/formatting.md).
 */
import type { Document, Line } from './document.ts';
import type { SuspicionCode } from './warnings.ts';

export interface Suspicion {
  code: SuspicionCode;
  /** The places, each once; empty where the whole text is meant. */
  found: Set<string>;
}

interface Rule {
  code: SuspicionCode;
  pattern: RegExp;
  /** Whether the rule is for addresses. Others are not for text within addresses. */
  isOfLinks?: true;
}

/** A word or more between two signs, as on a phone: nothing but an end of a sentence may follow. */
const TYPED = (sign: string) =>
  String.raw`(?<=^|[\s(„“"'])${sign}(?=[\p{L}\p{N}])[^\n${sign}]*[\p{L}\p{N}.!?…:€$%)]${sign}(?=$|[\s.,:;!?)”“"'])`;

const ALLOWED = 'p|br|b|strong|i|em|a|ul|ol|li|span|div|h[1-6]';
const ENTITIES =
  'amp|lt|gt|nbsp|quot|apos|euro|hellip|[nm]dash|[lr][sd]quo|[aouAOU]uml|szlig|[aeiou](?:acute|grave|circ)';

const RULES: readonly Rule[] = [
  { code: 'marks_typed', pattern: new RegExp([String.raw`\*`, '_', '~'].map(TYPED).join('|'), 'gmu') },
  { code: 'line_break_spelled', pattern: /(?<!(?:^|\s)(?:[a-z]:|\\\\)\S{0,200})\\n/gim },
  {
    code: 'html_escaped',
    pattern: new RegExp(
      // In a<b>c it is no tag.
      String.raw`</?(?!(?<=\w<)[abip]>\w)(?:${ALLOWED})(?:\s[^<>\n]{0,200})?/?>|&(?:#\d{2,6}|#x[\da-fA-F]{2,5}|${ENTITIES});`,
      'g',
    ),
  },
  {
    code: 'placeholder_left',
    pattern: /\{\{[^{}\n]{1,60}\}\}|\*\|[\p{L}\p{N}_: ]{1,60}\|\*|\$\{[^{}\n]{1,60}\}/gu,
    isOfLinks: true,
  },
  { code: 'placeholder_left', pattern: /(?<![\p{L}\p{N}%])%[\p{L}_][\p{L}\p{N}_]{1,30}%(?![\p{L}\p{N}%])/gu },
  { code: 'value_missing', pattern: /\[object Object\]|(?<![\p{L}\p{N}_-])NaN(?![\p{L}\p{N}_-])/gu },
  {
    code: 'value_missing',
    pattern:
      /(?<!(?:^|[^\p{L}])(?:an?|is|are|as|was|were|left|remains?|still|the)\s)(?<![\p{L}\p{N}_-])undefined(?![\p{L}\p{N}_-])/giu,
  },
  {
    code: 'markdown_written',
    pattern: /\*\*(?=[^\s*])[^*\n]{0,300}[^\s*]\*\*|^#{1,6} (?!of )(?=[\p{L}\p{Extended_Pictographic}])/gmu,
  },
  {
    code: 'markdown_written',
    pattern: /\[[^[\]\n]{1,200}\]\((?:https?:\/\/|mailto:|tel:|www\.)[^)\s]{1,500}\)/g,
    isOfLinks: true,
  },
  {
    code: 'filler_left',
    pattern: /[Ll]orem [Ii]psum|^TODO$|[[(]TODO[\])]|(?<!\p{Lu}\s)\b(?:TODO:|FIXME\b)/gmu,
  },
  {
    code: 'link_local',
    pattern:
      /https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|[\w.-]{1,200}\.(?:local|localhost|internal))(?=[:/?#\s)]|$)[^\s)]*/gi,
    isOfLinks: true,
  },
  {
    code: 'link_personal',
    pattern:
      /https?:\/\/[^\s?#)]{1,500}\?(?:[^\s#)]{0,2000}&)?(?:fbclid|gclid|dclid|msclkid|yclid|igshid?|mc_eid|mkt_tok|_hsenc|vero_id|oly_enc_id|access_token|session_?id|phpsessid)=[^\s)]*/gi,
    isOfLinks: true,
  },
];

const ADDRESSES = /(?:https?:\/\/|www\.)[^\s]*/gi;
/** HTML without any of these has nothing that a rule looks for; asking all rules takes ten times as long. */
const SIGN = /[*_~\\{%[#$]/;
const ESCAPED = /&lt;|&amp;[\w#]{1,10};/;
const WORD = /\b(?:null|NaN|undefined|[Ll]orem|TODO|FIXME)\b/;
const ODD_LINK =
  /:\/\/(?:localhost|127\.|0\.|\[|10\.|192\.168|172\.)|\.(?:local|internal)|[?&;](?:\w{1,4}clid|igshid?|mc_eid|mkt_tok|_hsenc|vero_id|oly_enc_id|access_token|session_?id|phpsessid)=/i;

const LINE_MAKING = /<(?:p|br|h[1-6]|ul|ol|li|div|tr|pre|table)\b/i;
const BREAK_WITHIN = /\S[ \t]*\r?\n\s*\S/;

/** Returns what is suspicious about a document, and the HTML that it was read from. */
export function findSuspicions(html: string, document: Document): Suspicion[] {
  const found = new Map<SuspicionCode, Set<string>>();
  if (
    document.length === 1 &&
    BREAK_WITHIN.test(html) &&
    !LINE_MAKING.test(html) &&
    BREAK_WITHIN.test(withoutTags(html))
  )
    found.set('lines_joined', new Set());
  const isOdd = SIGN.test(html) || WORD.test(html) || (html.includes('&') && ESCAPED.test(html));
  if (!isOdd && !(html.includes('://') && ODD_LINK.test(html))) return listFound(found);
  const text = document.map(writeLine).join('\n');
  const bare = text.replaceAll(ADDRESSES, ' ');
  for (const { code, pattern, isOfLinks } of RULES) {
    // What is sent as typed has marks of its own.
    if (code === 'marks_typed' && document.some(({ isTyped }) => isTyped)) continue;
    add(found, code, (isOfLinks ? text : bare).match(pattern));
  }
  add(found, 'value_missing', findNulls(bare));
  return listFound(found);
}

function listFound(found: ReadonlyMap<SuspicionCode, Set<string>>): Suspicion[] {
  return Array.from(found, ([code, places]) => ({ code, found: places }));
}

/** Returns the text of a line; an item has its marker, so that it begins with no sign of its author. */
function writeLine({ head, runs }: Line): string {
  const text = runs.length === 1 ? (runs[0]?.text ?? '') : runs.map((run) => run.text).join('');
  return head === undefined ? text : `- ${text}`;
}

function withoutTags(html: string): string {
  return html
    .split('<')
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf('>') + 1)))
    .join('')
    .trim();
}

function add(found: Map<SuspicionCode, Set<string>>, code: SuspicionCode, places: readonly string[] | null): void {
  if (places === null || places.length === 0) return;
  const known = found.get(code) ?? new Set();
  for (const place of places) known.add(place.trim());
  found.set(code, known);
}

const NULL =
  /(?<!(?:^|[^\p{L}])(?:a|not|the)\s)(?<![\p{L}\p{N}_-])null(?![\p{L}\p{N}_-])(?!\s+(?:and void|hypothes[ei]s|object|pointer))/gu;
/** In German and Norwegian it is a number. */
const NULL_IS_ZERO =
  /(?<!\p{L})(?:der|die|das|und|ist|sind|wir|ihr|für|mit|nicht|ein|eine|zu|auf|von|bei|uhr|og|er|ikke|til|på|vi|det|som)(?!\p{L})/iu;
const GREETED_NULL =
  /(?<=^|\n)(?:hallo|hei|hi|hello|dear|liebe[rs]?|guten (?:tag|morgen|abend)|moin|kjære),? null(?!\p{L})/giu;

function findNulls(text: string): string[] | null {
  if (!text.includes('null')) return null;
  if (text.trim() === 'null') return ['null'];
  return text.match(NULL_IS_ZERO.test(text) ? GREETED_NULL : NULL);
}
