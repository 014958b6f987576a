const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['hellip', '…'],
  ['euro', '€'],
]);
const LONGEST_ENTITY = 8;
const NUMBER = /^#(?:(\d+)|[xX]([\dA-Fa-f]+))$/;

/** Text with its entities decoded; undefined when one of them is not of the few that are known here. */
export function decodeText(text: string): string | undefined {
  let ampersand = text.indexOf('&');
  if (ampersand < 0) return text;
  let decoded = '';
  let from = 0;
  for (; ampersand >= 0; ampersand = text.indexOf('&', from)) {
    const name = entityName(text, ampersand + 1);
    const character = name.startsWith('#') ? decodeNumber(name) : ENTITIES.get(name);
    if (character === undefined) return undefined;
    decoded += text.slice(from, ampersand) + character;
    from = ampersand + name.length + 2;
  }
  return decoded + text.slice(from);
}

/** What stands before the semicolon of an entity; '' when there is none near. */
function entityName(text: string, from: number): string {
  const near = text.slice(from, from + LONGEST_ENTITY + 1);
  return near.slice(0, Math.max(near.indexOf(';'), 0));
}

function decodeNumber(name: string): string | undefined {
  const digits = NUMBER.exec(name);
  const code = digits?.[1] === undefined ? Number.parseInt(digits?.[2] ?? '', 16) : Number(digits[1]);
  // Control characters and halves of surrogate pairs have rules of their own.
  const isOrdinary =
    (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code < 0xd800) || (code >= 0xe000 && code <= 0x10ffff);
  return isOrdinary ? String.fromCodePoint(code) : undefined;
}
