import { Link as AnyLink } from '@tiptap/extension-link';

/** The schemes of links in a campaign (contract §7); other pasted links become plain text. */
const ALLOWED = /^(?:https?|mailto|tel):/i;

/** A link with only an `href`. An address typed without a scheme gets one. */
export const Link = AnyLink.extend({
  addAttributes: () => ({
    href: { default: null, parseHTML: (element: HTMLElement) => element.getAttribute('href') },
  }),
  addCommands() {
    const inherited = this.parent?.() ?? {};
    return {
      ...inherited,
      setLink: (attributes) => inherited.setLink?.({ href: withScheme(attributes.href.trim()) }) ?? (() => false),
    };
  },
}).configure({
  openOnClick: false,
  defaultProtocol: 'https',
  isAllowedUri: (url) => ALLOWED.test(url),
  HTMLAttributes: { target: null, rel: null, class: null },
});

function withScheme(address: string): string {
  if (address === '' || ALLOWED.test(address)) return address;
  return /^[^\s/@]+@[^\s/@]+$/.test(address) ? `mailto:${address}` : `https://${address}`;
}
