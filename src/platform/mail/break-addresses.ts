/** A word with letters, or with as many dots as an IP address: others, such as 10.30 and 28.11.2026, are times, dates and amounts. */
const ADDRESS_LIKE = /\p{L}|@|(?:[.。．｡][^.。．｡\s]+){3}/u;
const DOT = /(?<=[^\s.。．｡])[.。．｡](?=[^\s.。．｡,;:!?)\]}"'’”»…])/gu;
const SCHEME = /(?<=\p{L}:)(?=\/\/)|(?<=\b(?:mailto|tel|sms|javascript|data):)(?=\S)/giu;
const AT = /(?<=[^\s@])(?=@[^\s@])/gu;

/**
 * Spoofing: returns a text without an address that a mail program would make a link of. Spaces break it where it is read: invisible
 * characters would be copied, and some programs skip them.
 */
export function breakAddresses(text: string): string {
  return text.replaceAll(/\S+/g, (word) =>
    ADDRESS_LIKE.test(word) ? word.replaceAll(DOT, '$& ').replaceAll(SCHEME, ' ').replaceAll(AT, ' ') : word,
  );
}
