/**
 * Pasted html without style attributes, which the policy of the page refuses. What they say of bold and italic is kept as tags:
 * word processors on the web say it in no other way. The editor's schema drops whatever else a message cannot hold.
 */
export function cleanPasted(html: string): string {
  // Renamed in the text, for a parser would already see styles; only within tags, so that no word of the text is touched.
  const harmless = html.replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/\sstyle(?=\s*=)/gi, ' data-style'));
  const { body } = new DOMParser().parseFromString(harmless, 'text/html');
  for (const element of body.querySelectorAll('[data-style]')) {
    const style = element.getAttribute('data-style') ?? '';
    element.removeAttribute('data-style');
    if (/font-weight\s*:\s*(?:bold|[6-9]00)/i.test(style)) wrapContent(element, 'strong');
    if (/font-style\s*:\s*italic/i.test(style)) wrapContent(element, 'em');
    // A whole document comes wrapped so, by a tag that means nothing.
    if (/^(?:B|STRONG)$/.test(element.tagName) && /font-weight\s*:\s*(?:normal|400)/i.test(style))
      element.replaceWith(...element.childNodes);
  }
  return body.innerHTML;
}

function wrapContent(element: Element, tag: 'strong' | 'em'): void {
  const wrapper = element.ownerDocument.createElement(tag);
  wrapper.append(...element.childNodes);
  element.append(wrapper);
}
