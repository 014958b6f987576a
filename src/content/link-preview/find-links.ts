import { writePlaceholders, type TemplateText } from '../text/placeholders.ts';
import { findAddresses } from '../text/addresses.ts';

/** Returns the links of a text as they are written in it, in order. Without a scheme (`www.`) they are https. */
export function findLinks(text: string): string[] {
  return findAddresses(text)
    .map(({ from, to }) => text.slice(from, to))
    .filter((link) => URL.canParse(toUrl(link)));
}

/** `findLinks` of a post with fields: as it shows them. */
export function findLinksOf(text: string, template: TemplateText | null | undefined): string[] {
  if (!template) return findLinks(text);
  return findLinks(template.text).map((link) => writePlaceholders(link, template.placeholders));
}

/** Returns the URL that a link of a text leads to. */
export function toUrl(link: string): string {
  return /^https?:\/\//i.test(link) ? link : `https://${link}`;
}
