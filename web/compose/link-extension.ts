import { Link as AnyLink } from '@tiptap/extension-link';

/** What a campaign takes for a link (contract §7); a pasted one of another kind stays plain text. */
const ALLOWED = /^(?:https?|mailto|tel):/i;

/** A link that is an address and nothing else: no target, no class. An address that was typed without its scheme gets one. */
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
