import { findAddresses } from '../text/addresses.ts';

/** Returns the links of a text as they are written in it, in order. Without a scheme (`www.`) they are https. */
export function findLinks(text: string): string[] {
  return findAddresses(text)
    .map(({ from, to }) => text.slice(from, to))
    .filter((link) => URL.canParse(toUrl(link)));
}

/** Returns the URL that a link of a text leads to. */
export function toUrl(link: string): string {
  return /^https?:\/\//i.test(link) ? link : `https://${link}`;
}
