import { Tokenizer, type Token, type TokenHandler } from 'parse5';

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
// Before anything else an ampersand is no more than that, as in "bread & butter".
const BEGINS_ENTITY = /[#\dA-Za-z]/;
const NUMBER = /^#(?:(\d+)|[xX]([\dA-Fa-f]+))$/;

/** Text of HTML, which has no tags in it, with its entities decoded. */
export function decodeText(text: string): string {
  return decodeOrdinary(text) ?? new Piece(text).text;
}

/** The value of an attribute of a tag, of which both are given as they stand in HTML. Other rules are for entities there. */
export function decodeValue(value: string, tag: string, attribute: string): string {
  return decodeOrdinary(value) ?? new Piece(tag).attributes.find(({ name }) => name === attribute)?.value ?? '';
}

/** A piece of HTML, one text or one tag, read by the whole tokenizer. */
class Piece implements TokenHandler {
  text = '';
  attributes: readonly Token.Attribute[] = [];

  constructor(html: string) {
    new Tokenizer({ sourceCodeLocationInfo: false }, this).write(html, true);
  }

  onStartTag({ attrs }: Token.TagToken): void {
    this.attributes = attrs;
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    this.text += chars;
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onEndTag(): void {}
  onNullCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}
}

/** The same of text or a value; undefined when there is an entity that is not of the few that are known here. */
export function decodeOrdinary(text: string): string | undefined {
  let ampersand = text.indexOf('&');
  if (ampersand < 0) return text;
  let decoded = '';
  let from = 0;
  for (; ampersand >= 0; ampersand = text.indexOf('&', from)) {
    if (!BEGINS_ENTITY.test(text.charAt(ampersand + 1))) {
      decoded += text.slice(from, ampersand + 1);
      from = ampersand + 1;
      continue;
    }
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
  // Those from the upper control characters and halves of surrogate pairs have rules of their own.
  const isOrdinary =
    (code > 0 && code < 0x80) || (code >= 0xa0 && code < 0xd800) || (code >= 0xe000 && code <= 0x10ffff);
  return isOrdinary ? String.fromCodePoint(code) : undefined;
}
