/** Targets of links: which ones are taken, how they are written, and when the text of a link already says its target. */

const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:']);
/** It stands for a placeholder. */
const TOKEN = /^[\ufdd0-\ufdef]$/;
const ANY_TOKEN = /[\ufdd0-\ufdef]/g;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
// Most links, which need no further check: a host of letters, digits and hyphens, then characters that every address may contain.
const ORDINARY = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z]+(?:[/?#][!#-;=?-_a-~]*)?$/;
const REMOVED_BY_BROWSERS = /[\t\n\r]/g;
// Would end the address early (spaces), cannot be seen, or would begin code.
const UNSAFE_IN_ADDRESS = /[\s\p{Cc}\p{Cf}\p{Cs}"<>`]/gu;
const PARENTHESES = /[()]/g;
const PHONE_PUNCTUATION = /[\s().\-/\u00a0]/g;

/**
 * Returns the target of a link as the message will contain it: removes the characters that browsers ignore in an `href`, and
 * percent-encodes those that would end the address early in a message. An address without scheme is https, or mailto. Returns undefined
 * unless it is a whole http, https, mailto or tel address.
 */
export function readTarget(href: string): string | undefined {
  if (ORDINARY.test(href) && !href.includes('xn--')) return href;
  // A value may be a whole address.
  if (TOKEN.test(href.trim())) return href.trim();
  const written = addScheme(trimControls(href).replace(REMOVED_BY_BROWSERS, ''));
  const scheme = SCHEME.exec(written)?.[0].toLowerCase();
  if (scheme === undefined || !SCHEMES.has(scheme)) return undefined;
  const target =
    scheme +
    written.slice(scheme.length).replace(UNSAFE_IN_ADDRESS, (character) =>
      // Half a surrogate pair would make it throw.
      encodeURIComponent(character.toWellFormed()),
    );
  return isComplete(scheme, target) ? target : undefined;
}

// A browser reads an address without scheme as a path of the page that it is on. In a message there is no page.
const HOST = /^(?:[\p{L}\p{N}_-]+\.)+(\p{L}{2,63}|xn--[a-z0-9-]+)\.?(?::\d{1,5})?(?:[/?#]|$)/iu;
const MAILBOX = /^[^\s@/?#:]+@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,63}$/u;
/** Rather a file beside the page than a host. */
const FILE_ENDING = /^(?:html?|xhtml|php|aspx?|jsp|cgi|pdf|jpe?g|png|gif|svg|webp|txt|docx?|xlsx?|css|xml|json)$/i;

function addScheme(written: string): string {
  const bare = written.startsWith('//') ? written.slice(2) : written;
  const ending = HOST.exec(bare)?.[1];
  if (ending !== undefined && (bare !== written || /^www\./i.test(bare) || !FILE_ENDING.test(ending)))
    return `https://${bare}`;
  return MAILBOX.test(written) ? `mailto:${written}` : written;
}

/** The text that stands for a target in a message: without `mailto:` and `tel:`, which messengers do not read. */
export function writtenTarget(target: string): string {
  if (target.startsWith('mailto:')) return decodeAddress(withoutQuery(target.slice('mailto:'.length)));
  if (target.startsWith('tel:')) return decodeAddress(target.slice('tel:'.length));
  return target;
}

/** Returns the target for writing between parentheses: its own parentheses are percent-encoded. */
export function parenthesizedTarget(target: string): string {
  if (!target.startsWith('http')) return writtenTarget(target);
  return target.replace(PARENTHESES, (sign) => (sign === '(' ? '%28' : '%29'));
}

/** Whether the text of a link already tells its target, with or without scheme, `www.` and final slash. */
export function showsTarget(text: string, target: string): boolean {
  if (target.startsWith('tel:')) return phoneDigits(text) === phoneDigits(writtenTarget(target));
  if (text.includes(' ')) return false;
  const bare = bareAddress(text);
  return bare === bareAddress(target) || (target.startsWith('mailto:') && bare === bareAddress(writtenTarget(target)));
}

/** Phishing: whether the text of a link looks like an address with another host than the target. */
export function resemblesOtherTarget(text: string, target: string): boolean {
  const shown = hostIn(text);
  return shown !== undefined && shown !== hostIn(target);
}

/** Whether a mailto target says more than the address, such as a subject, which a message cannot carry. */
export function hasMailDetails(target: string): boolean {
  return target.startsWith('mailto:') && target.includes('?');
}

function trimControls(href: string): string {
  let from = 0;
  let to = href.length;
  while (from < to && href.charCodeAt(from) <= 0x20) from++;
  while (to > from && href.charCodeAt(to - 1) <= 0x20) to--;
  return href.slice(from, to);
}

function isComplete(scheme: string, target: string): boolean {
  const rest = target.slice(scheme.length);
  if (scheme === 'mailto:') return /[@\ufdd0-\ufdef]/.test(withoutQuery(rest));
  if (scheme === 'tel:') return /[\d\ufdd0-\ufdef]/.test(rest);
  return rest.startsWith('//') && URL.canParse(target.replaceAll(ANY_TOKEN, 'x'));
}

function withoutQuery(address: string): string {
  const query = address.indexOf('?');
  return query < 0 ? address : address.slice(0, query);
}

/** Returns the percent-decoded address without characters that are invalid in one. */
function decodeAddress(address: string): string {
  if (!address.includes('%')) return address;
  try {
    return decodeURIComponent(address).replace(UNSAFE_IN_ADDRESS, '');
  } catch {
    // Not percent-encoding after all: it stays as the author wrote it.
    return address;
  }
}

function bareAddress(address: string): string {
  const lower = address.toLowerCase();
  const bare = lower.startsWith('https://') ? lower.slice(8) : lower.startsWith('http://') ? lower.slice(7) : lower;
  const named = bare.startsWith('mailto:') ? bare.slice(7) : bare.startsWith('www.') ? bare.slice(4) : bare;
  return named.endsWith('/') ? named.slice(0, -1) : named;
}

function phoneDigits(text: string): string {
  return text.replace(PHONE_PUNCTUATION, '').toLowerCase().replace(/^tel:/, '');
}

const LONGEST_ADDRESS = 2_048;

/** The host an address names, without `www.`; undefined for a text that does not look like an address. */
function hostIn(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS || !text.includes('.') || /\s/.test(text)) return undefined;
  const mail = text.lastIndexOf('@');
  const isUrl = /^https?:\/\//i.test(text);
  const address = isUrl ? text : `https://${mail < 0 ? text : text.slice(mail + 1)}`;
  const host = URL.parse(address)?.hostname.replace(/^www\./, '');
  // A file name or a number with a point in it is not an address.
  return host !== undefined && (isUrl || /\.[a-z]{2,}$/.test(host)) ? host : undefined;
}
