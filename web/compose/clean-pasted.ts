/**
 * Pasted html without style attributes, which the policy of the page refuses. What they say of bold and italic is kept as tags:
 * word processors on the web say it in no other way. Word's lists, which are paragraphs with a bullet in front, become lists. The
 * editor's schema drops whatever else a message cannot hold.
 */
export function cleanPasted(html: string): string {
  // Renamed in the text, for a parser would already see styles; only within tags, so that no word of the text is touched.
  const harmless = html
    .replaceAll(/<style\b[^]*?<\/style\s*>/gi, '')
    .replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/\sstyle(?=\s*=)/gi, ' data-style'));
  const { body } = new DOMParser().parseFromString(harmless, 'text/html');
  for (const paragraph of body.querySelectorAll('[data-style*="mso-list" i]')) makeItem(paragraph);
  for (const spacer of body.querySelectorAll('o\\:p')) dropBlank(spacer);
  for (const element of body.querySelectorAll('[data-style]')) {
    const style = styleOf(element);
    element.removeAttribute('data-style');
    if (/(?:^|[;\s])font-weight\s*:\s*(?:bold|[6-9]00)/i.test(style)) wrapContent(element, 'strong');
    if (/(?:^|[;\s])font-style\s*:\s*italic/i.test(style)) wrapContent(element, 'em');
    // A whole document comes wrapped so, by a tag that means nothing.
    if (/^(?:B|STRONG)$/.test(element.tagName) && /(?:^|[;\s])font-weight\s*:\s*(?:normal|400)/i.test(style))
      element.replaceWith(...element.childNodes);
  }
  return body.innerHTML;
}

function styleOf(element: Element): string {
  return element.getAttribute('data-style') ?? '';
}

/** Word ends each paragraph so; one with nothing else in it is but a space between two others. */
function dropBlank(end: Element): void {
  const paragraph = end.closest('p');
  if (end.textContent.trim() === '') end.remove();
  if (paragraph?.textContent.trim() === '' && !paragraph.querySelector('img, br')) paragraph.remove();
}

/** Puts a paragraph that Word calls an item into the list before it, or into a new one; its bullet or number goes. */
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
