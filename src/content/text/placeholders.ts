/**
 * Placeholders in a post with fields: `{{ name }}`, or with a fallback `{{ name | "the office" }}`. While a text is read, one noncharacter
 * stands for each: it has no white space, so that an address or a formatting mark around it is read as it will be with a value.
 */
import { foldFieldName } from './fold-name.ts';
import { fieldError, type FieldError } from '../../platform/errors/errors.ts';

export interface Placeholder {
  /** As the post has it. */
  name: string;
  /** Folded: that of the field, or of what is built in. */
  key: string;
  /** The text for groups without a value. Absent: they get no post. */
  fallback?: string;
}

/** A text with a token for each placeholder (`PlaceholderReader`). */
export interface TemplateText {
  text: string;
  placeholders: readonly Placeholder[];
}

/** Different ones in one text. */
export const PLACEHOLDERS_LIMIT = 32;

const FIRST_TOKEN = 0xfdd0;
const TOKENS = /[\ufdd0-\ufdef]/g;
const DOUBLE = '"“”„«»';
const SINGLE = "'‘’‚";
// Each part is bounded, and has no sign that ends it: linear for any text.
const FIELD = new RegExp(
  String.raw`\{\{([^{}|${DOUBLE}]{1,200})(?:\|\s{0,20}(?:[${DOUBLE}]([^{}${DOUBLE}]{0,1000})[${DOUBLE}]|[${SINGLE}]([^{}]{0,1000})[${SINGLE}])\s{0,20})?\}\}`,
  'gu',
);
const BRACES = /\{\{|\}\}/;
/** So much of a broken placeholder is named. */
const NAMED = 40;

/** Returns the text with what `write` makes of each placeholder. */
export function replacePlaceholders(text: string, write: (placeholder: Placeholder) => string): string {
  if (!text.includes('{{')) return text;
  return text.replaceAll(FIELD, (whole, written: string, double?: string, single?: string) => {
    const fallback = double ?? single;
    const name = written.trim();
    const key = foldFieldName(name);
    if (key === '') return whole;
    return write(fallback === undefined ? { name, key } : { name, key, fallback });
  });
}

/** Returns the placeholders of texts, in order. */
export function listPlaceholders(texts: readonly string[]): Placeholder[] {
  const found: Placeholder[] = [];
  for (const text of texts) replacePlaceholders(text, (placeholder) => (found.push(placeholder), ''));
  return found;
}

/** Returns what looks like a placeholder and is none; undefined if there is no such thing. */
export function findBroken(text: string): string | undefined {
  const left = replacePlaceholders(text, () => '');
  const at = left.search(BRACES);
  return at < 0 ? undefined : left.slice(at, at + NAMED).toWellFormed();
}

/** Returns a text without tokens of its author, which are no characters. */
export function withoutTokens(text: string): string {
  return text.replaceAll(TOKENS, '');
}

/** Returns a placeholder in the form in which posts show it. */
export function writePlaceholder({ name, fallback }: Pick<Placeholder, 'name' | 'fallback'>): string {
  if (fallback === undefined) return `{{ ${name} }}`;
  return fallback.includes('"') ? `{{ ${name} | '${fallback}' }}` : `{{ ${name} | "${fallback}" }}`;
}

/** Returns a text with tokens with its placeholders in the form in which posts show them. */
export function writePlaceholders(text: string, placeholders: readonly Placeholder[]): string {
  return text.replaceAll(TOKENS, (token) => {
    const placeholder = placeholders[indexOfToken(token)];
    return placeholder ? writePlaceholder(placeholder) : '';
  });
}

/** The index of the placeholder that a character stands for; negative: it stands for none. */
export function indexOfToken(character: string): number {
  const index = character.charCodeAt(0) - FIRST_TOKEN;
  return index < PLACEHOLDERS_LIMIT ? index : -1;
}

/** Reads the placeholders of one text, whose parts come one by one. */
export class PlaceholderReader {
  readonly placeholders: Placeholder[] = [];
  readonly #broken = new Set<string>();
  readonly #split = new Set<string>();
  #isTooMany = false;

  /** Returns the text with a token for each placeholder. */
  read(text: string): string {
    return replacePlaceholders(text, (placeholder) => this.#tokenOf(placeholder));
  }

  /** `read` for an address, which has no further characters of a broken placeholder. */
  readHref(href: string): string {
    const broken = findBroken(href);
    if (broken !== undefined) this.#broken.add(broken);
    return this.read(withoutTokens(href));
  }

  /** `read` for the parts of a line, which differ in formatting. */
  readLine(parts: readonly string[]): string[] {
    const whole = parts.join('');
    if (!BRACES.test(whole)) return [...parts];
    const broken = findBroken(whole);
    if (broken !== undefined) this.#broken.add(broken);
    else if (parts.some((part) => findBroken(part) !== undefined)) this.#split.add(this.#findSplit(whole, parts));
    return parts.map((part) => this.read(part));
  }

  write(text: string): string {
    return writePlaceholders(text, this.placeholders);
  }

  problems(field: string): FieldError[] {
    return [
      ...Array.from(this.#broken, (found) => fieldError(field, 'field_broken', { found })),
      ...Array.from(this.#split, (found) => fieldError(field, 'field_split', { found })),
      ...(this.#isTooMany ? [fieldError(field, 'too_many_fields', { limit: PLACEHOLDERS_LIMIT })] : []),
    ];
  }

  #tokenOf(placeholder: Placeholder): string {
    const { placeholders } = this;
    const known = placeholders.findIndex(
      ({ name, fallback }) => name === placeholder.name && fallback === placeholder.fallback,
    );
    if (known < 0 && placeholders.length === PLACEHOLDERS_LIMIT) {
      this.#isTooMany = true;
      return '';
    }
    const index = known < 0 ? placeholders.push(placeholder) - 1 : known;
    return String.fromCharCode(FIRST_TOKEN + index);
  }

  #findSplit(whole: string, parts: readonly string[]): string {
    const split = whole.match(FIELD)?.find((found) => !parts.some((part) => part.includes(found)));
    return split ?? whole.slice(0, NAMED).toWellFormed();
  }
}
