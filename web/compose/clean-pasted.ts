import { isTight, setTight } from './line-model.ts';
import { flattenTables } from './pasted-tables.ts';

/**
 * Returns pasted html without style attributes, which the CSP rejects. Bold and italic in styles become tags. Word's list paragraphs become
 * lists. Tables become lines. Paragraphs without a margin become lines of one paragraph, and line breaks in preformatted text become
 * `<br>`. The editor's schema drops everything else that a message cannot hold.
 */
export function cleanPasted(html: string): string {
  // Renames the attribute in the source text, since a parser would already apply styles; only within tags, so that no text changes.
  const harmless = html
    .replaceAll(/<style\b[^]*?<\/style\s*>/gi, '')
    .replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/\sstyle(?=\s*=)/gi, ' data-style'));
  const { body } = new DOMParser().parseFromString(harmless, 'text/html');
  for (const picture of body.querySelectorAll('img')) if (EMOJI.test(picture.alt)) picture.replaceWith(picture.alt);
  for (const name of tightClasses(html))
    for (const paragraph of body.querySelectorAll<HTMLElement>(`p.${name}`)) setTight(paragraph);
  for (const paragraph of body.querySelectorAll('p')) if (isFlat(styleOf(paragraph))) setTight(paragraph);
  for (const paragraph of body.querySelectorAll('[data-style*="mso-list" i]')) makeItem(paragraph);
  for (const spacer of body.querySelectorAll('o\\:p')) dropBlank(spacer);
  for (const element of body.querySelectorAll('[data-style]')) {
    const style = styleOf(element);
    element.removeAttribute('data-style');
    element.toggleAttribute('data-lines', AS_WRITTEN.test(style));
    if (/(?:^|[;\s])font-weight\s*:\s*(?:bold|[6-9]00)/i.test(style)) wrapContent(element, 'strong');
    if (/(?:^|[;\s])font-style\s*:\s*italic/i.test(style)) wrapContent(element, 'em');
    // Google Docs wraps a whole document in a `<b>` of normal weight.
    if (/^(?:B|STRONG)$/.test(element.tagName) && /(?:^|[;\s])font-weight\s*:\s*(?:normal|400)/i.test(style))
      element.replaceWith(...element.childNodes);
  }
  for (const written of body.querySelectorAll('[data-lines]')) breakLines(written);
  flattenTables(body);
  return body.innerHTML;
}

// Word writes 0.0001pt for zero.
const FLAT_BELOW = 0.01;
/** Many pages show emoji as images. */
const EMOJI = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0f?)$/v;
const AS_WRITTEN = /(?:^|[;\s])white-space(?:-collapse)?\s*:\s*(?:pre|break-spaces)/i;

/** Returns whether a style sets no margin above and below. */
function isFlat(style: string): boolean {
  const { style: read } = document.createElement('p');
  read.cssText = style;
  return [read.marginTop, read.marginBottom].every((margin) => Number.parseFloat(margin) < FLAT_BELOW);
}

/** Returns the classes of paragraphs that Word and Outlook style without margins. */
function tightClasses(html: string): string[] {
  return [...html.matchAll(/\bp\.(\w+)[^{}]*\{([^}]*)\}/g)].flatMap(([, name = '', style = '']) =>
    isFlat(style) ? name : [],
  );
}

function breakLines(written: Element): void {
  const texts = written.ownerDocument.createTreeWalker(written, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (texts.nextNode()) found.push(texts.currentNode as Text);
  for (const text of found) {
    const lines = text.data.split(/\r\n?|\n/);
    text.replaceWith(
      ...lines.flatMap((line, index) => (index > 0 ? [written.ownerDocument.createElement('br'), line] : [line])),
    );
  }
}

function styleOf(element: Element): string {
  return element.getAttribute('data-style') ?? '';
}

/** Word ends each paragraph with `<o:p>`; a paragraph with nothing else is only spacing. */
function dropBlank(end: Element): void {
  const paragraph = end.closest('p');
  if (end.textContent.trim() === '') end.remove();
  if (paragraph?.textContent.trim() !== '' || paragraph.querySelector('img, br')) return;
  // Between lines without margins it is an empty line.
  if (isTight(paragraph)) paragraph.replaceChildren(paragraph.ownerDocument.createElement('br'));
  else paragraph.remove();
}

/** Moves a list paragraph of Word into the list before it, or into a new one, without its bullet or number. */
function makeItem(paragraph: Element): void {
  if (!/mso-list\s*:\s*l\d/i.test(styleOf(paragraph))) return;
  const markers = [...paragraph.querySelectorAll('[data-style]')].filter((one) =>
    /mso-list\s*:\s*ignore/i.test(styleOf(one)),
  );
  const tag = /^\s*[\da-z]{1,5}[.)]/i.test(markers[0]?.textContent ?? '') ? 'ol' : 'ul';
  for (const marker of markers) marker.remove();
  const before = paragraph.previousElementSibling;
  const list = before?.tagName.toLowerCase() === tag ? before : paragraph.ownerDocument.createElement(tag);
  if (list !== before) paragraph.before(list);
  const item = paragraph.ownerDocument.createElement('li');
  item.append(...paragraph.childNodes);
  list.append(item);
  paragraph.remove();
}

function wrapContent(element: Element, tag: 'strong' | 'em'): void {
  const wrapper = element.ownerDocument.createElement(tag);
  wrapper.append(...element.childNodes);
  element.append(wrapper);
}
