/** Bodies that an operation rejects, and that could cost it much: each place of its schema, filled with what does not belong there. */
import { exampleOf, typeOf, withoutNull, type Schema } from '../http/openapi.ts';

export interface WorstBody {
  /** `group_metadata_ids: 60,000 wrong items` */
  what: string;
  /** Equal for bodies that are wrong in the same way in a field of the same schema. */
  key: string;
  /** Some are long, and there are many. */
  write(): string;
}

/** A part of a body: the way to it, without the indices of lists. */
interface Place {
  name: string;
  schema: Schema;
  /** Returns a body that is valid but for this part, which is written as `text`. */
  write: (text: string) => string;
}

const ITEMS = 60_000;
/** The other fields of a body need fewer bytes. */
const REST = 1_024;

/** Returns bodies of at most `bytes`, each with one part that is as wrong as can be. The document has no part that is not tried. */
export function worstBodies(body: Schema, bytes: number): WorstBody[] {
  const places = formsOf(body).flatMap((schema) => [...placesOf({ name: 'body', schema, write: (text) => text })]);
  return places.flatMap(({ name, schema, write }) =>
    fillingsOf(schema, bytes - REST).map(([what, text]) => ({
      what: `${name}: ${what}`,
      key: `${what} ${JSON.stringify(schema)}`,
      write: () => write(text),
    })),
  );
}

function formsOf(schema: Schema): Schema[] {
  return schema.anyOf?.filter(({ type }) => type !== 'null') ?? schema.oneOf ?? [schema];
}

function* placesOf(place: Place): Generator<Place> {
  yield place;
  const { name, write } = place;
  const schema = withoutNull(place.schema);
  for (const [field, part] of Object.entries(schema.properties ?? {})) {
    const rest = { ...(exampleOf(schema) as object), [field]: undefined };
    const others = JSON.stringify(rest).slice(1, -1);
    const within = (text: string) => write(`{"${field}":${text}${others === '' ? '' : `,${others}`}}`);
    yield* placesOf({ name: `${name}.${field}`, schema: part, write: within });
  }
  if (schema.items && typeOf(schema.items) === 'object')
    yield* placesOf({ name: `${name}[]`, schema: schema.items, write: (text) => write(`[${text}]`) });
}

type Filling = [what: string, text: string];

const made = new Map<string, Filling[]>();

/** Returns values of at most `room` bytes that do not belong there. */
function fillingsOf(schema: Schema, room: number): Filling[] {
  const plain = withoutNull(schema);
  const type = typeOf(plain);
  if (type === 'string') return made.getOrInsertComputed(`letters ${room}`, () => letters(room));
  if (type === 'integer' || type === 'number') return [['digits', '1'.repeat(room)]];
  if (type === 'boolean') return [];
  const filled = made.getOrInsertComputed(`anything ${room}`, () => anything(room));
  return type === 'array' ? [...filled, ...wrongLists(plain, room)] : filled;
}

function anything(room: number): Filling[] {
  return [
    ['lists in lists', `${'['.repeat(room >> 1)}${']'.repeat(room >> 1)}`],
    ['objects in objects', `${repeat('{"a":', (room * 3) >> 2)}0${repeat('}', room >> 3)}`],
    ['a list of different objects', `[${counted((at) => `{"${at}":0},`, room - 2)}]`],
    ['a list of objects with different fields', `[${counted((at) => `{"f${at}":"${at}"},`, room - 2)}]`],
    ['fields that nobody knows', `{${counted((at) => `"f${at}":0,`, room - 2)}}`],
    ['fields that nobody knows, and null', `{${counted((at) => `"f${at}":null,`, room - 2)}}`],
    ['the same field again and again', `{${repeat('"name":0,', room - 2).slice(0, -1)}}`],
    ['a field with a long name', `{"${'x'.repeat(room - 6)}":0}`],
    ['digits', '1'.repeat(room)],
    ['different whole numbers', `[${counted((at) => `${at},`, MOST_NUMBERS_BYTES)}]`],
    ['more different whole numbers', `[${counted((at) => `${at},`, room - 2)}]`],
  ];
}

function letters(room: number): Filling[] {
  return LETTERS.flatMap((letter) => [
    [`"${letter}" again and again`, `"${repeat(letter, room - 2)}"`],
    [`"${letter}" again and again, and a line break`, `"${repeat(letter, room - 5)}\\n!"`],
  ]);
}

function wrongLists({ items = {}, maxItems = ITEMS }: Schema, room: number): Filling[] {
  const wrong = typeOf(withoutNull(items)) === 'string' ? ['0', '"x"'] : ['"x"', '{}', '1.5'];
  return wrong.flatMap((item) => {
    const list = (most: number) => `[${repeat(`${item},`, Math.min(room - 2, (item.length + 1) * most)).slice(0, -1)}]`;
    return [
      [`${ITEMS} times ${item}`, list(ITEMS)],
      [`as many as it takes of ${item}`, list(maxItems)],
      [`as many as fit of ${item}`, list(Infinity)],
    ];
  });
}

/** Some 20,000, as many as a list of groups takes with repeated ids. */
const MOST_NUMBERS_BYTES = 108_000;

const LETTERS = ['x', 'A1', '0', ' ', '.', '@', 'a@', '-', '0:', 'é', '\\u0041', String.raw`\"`];

/** As often as it fits into so many bytes. */
function repeat(text: string, bytes: number): string {
  return text.repeat(Math.max(0, Math.floor(bytes / Buffer.byteLength(text))));
}

/** Writes numbers in turn while they fit, without the last comma. */
function counted(write: (at: string) => string, bytes: number): string {
  const parts: string[] = [];
  for (let at = 0, left = bytes; ; at++) {
    const part = write(at.toString());
    left -= part.length;
    if (left < 0) return parts.join('').slice(0, -1);
    parts.push(part);
  }
}
