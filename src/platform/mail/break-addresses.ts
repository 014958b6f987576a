/** A word with letters, or with as many dots as an IP address: others, such as 10.30 and 28.11.2026, are times, dates and amounts. */
const ADDRESS_LIKE = /\p{L}|@|(?:[.。][^.。\s]+){3}/u;
const DOT = /(?<=[^\s.。])[.。](?=[^\s.。,;:!?)\]}"'’”»…])/gu;
const SCHEME = /(?<=\p{L}:)(?=\/\/)|(?<=\b(?:mailto|tel|sms|javascript|data):)(?=\S)/giu;
const AT = /(?<=[^\s@])(?=@[^\s@])/gu;

/**
 * Spoofing: returns a text without an address that a mail program would make a link of. Spaces break it where it is read: invisible
 * characters would be copied, and some programs skip them. A word is read in NFKC, which folds the lookalikes of dots, slashes and letters,
 * as programs do with the name of a host. Of the dots of UTS #46 only the ideographic full stop remains.
 */
export function breakAddresses(text: string): string {
  return text.replaceAll(/\S+/g, (word) => {
    const plain = word.normalize('NFKC');
    if (!ADDRESS_LIKE.test(plain)) return word;
    const broken = plain.replaceAll(DOT, '$& ').replaceAll(SCHEME, ' ').replaceAll(AT, ' ');
    return broken === plain ? word : broken;
  });
}
