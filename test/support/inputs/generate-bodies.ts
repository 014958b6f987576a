import fc from 'fast-check';
import { LONG_VALUES, ODD_BODIES, ODD_INTEGERS, ODD_VALUES, ODD_WORDS } from './odd-json.ts';
import { formsOf, typeOf, withoutNull, type Schema } from '../http/openapi.ts';

/** JSON texts that serve in fields of these names, so that generated bodies get past the first checks. */
export type KnownFields = Readonly<Record<string, fc.Arbitrary<string>>>;

const json = (value: unknown) => JSON.stringify(value);

/** JSON texts of bodies for an operation: valid bodies, bodies with one or several broken fields, and texts that are no body at all. */
export function bodiesOf(schema: Schema, known: KnownFields): fc.Arbitrary<string> {
  return fc.oneof(...formsOf(schema).map((form) => bodiesOfForm(form, known)));
}

function bodiesOfForm(schema: Schema, known: KnownFields): fc.Arbitrary<string> {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const valid = (name: string, field: Schema) => known[name] ?? validText(field);
  const whole = (values: (name: string, field: Schema) => fc.Arbitrary<string | undefined>) =>
    fc.tuple(...fields.map(([name, field]) => values(name, field))).map((texts) =>
      writeObject(
        texts.flatMap((text, index) => {
          const name = fields[index]?.[0];
          return text === undefined || name === undefined ? [] : [[name, text] as const];
        }),
      ),
    );
  const maybe = (name: string, field: Schema) =>
    required.has(name) ? valid(name, field) : fc.oneof(valid(name, field), fc.constantFrom(undefined, 'null'));
  const validBody = whole(maybe);
  const broken = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ODD_VALUES) },
    { weight: 1, arbitrary: fc.constantFrom(...LONG_VALUES) },
    { weight: 2, arbitrary: fc.jsonValue({ depthSize: 'small' }).map(json) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  const oneBroken =
    fields.length === 0
      ? validBody
      : fc
          .constantFrom(...fields.map(([name]) => name))
          .chain((chosen) => whole((name, field) => (name === chosen ? broken : maybe(name, field))));
  const anyBroken = whole((name, field) => fc.oneof(valid(name, field), broken));
  return fc.oneof(
    { weight: 5, arbitrary: validBody },
    { weight: 6, arbitrary: oneBroken },
    { weight: 2, arbitrary: anyBroken },
    { weight: 2, arbitrary: fc.tuple(validBody, fc.constantFrom(...MISHAPS)).map(([body, happen]) => happen(body)) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_BODIES) },
  );
}

function writeObject(entries: ReadonlyArray<readonly [string, string]>): string {
  return `{${entries.map(([name, text]) => `${json(name)}:${text}`).join(',')}}`;
}

/** What can become of a valid body on its way. */
const MISHAPS: ReadonlyArray<(body: string) => string> = [
  (body) => body.slice(0, -1),
  (body) => body.slice(0, body.length >> 1),
  (body) => `${body}${body}`,
  (body) => `[${body}]`,
  (body) => json(body),
  (body) => `\ufeff \t\r\n${body}\n`,
  (body) => body.replace('{', '{"__proto__":{"name":"x"},"constructor":null,'),
  // The last of two equal names counts.
  (body) => (body === '{}' ? body : `${body.slice(0, -1)},${body.slice(1)}`),
  (body) => body.replace('{', `{"unknown":${'['.repeat(10_000)}${']'.repeat(10_000)},`).replace(',}', '}'),
  (body) => body.replaceAll('"', '\\u0022'),
  (body) => body.replaceAll(':', ':\n\n'),
];

function validText(schema: Schema): fc.Arbitrary<string> {
  const plain = withoutNull(schema);
  const given = [plain.const, ...(plain.enum ?? []), ...(plain.examples ?? [])].filter((value) => value !== undefined);
  if (given.length > 0 && (plain.pattern !== undefined || plain.format !== undefined || !isText(plain)))
    return fc.constantFrom(...given.map(json));
  switch (typeOf(plain)) {
    case 'string':
      return fc.oneof(oddWord(plain), textWithin(plain), ...given.map((one) => fc.constant(json(one))));
    case 'integer':
    case 'number':
      return oddInteger(plain);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'array':
      return fc
        .array(validText(plain.items ?? {}), { minLength: plain.minItems ?? 0, maxLength: 5 })
        .map((items) => `[${items.join(',')}]`);
    case 'object':
      return fc.constant('{}');
    default:
      return fc.constantFrom(...ODD_VALUES);
  }
}

const isText = (schema: Schema) => typeOf(schema) === 'string';

function oddWord({ minLength = 0, maxLength = 500 }: Schema): fc.Arbitrary<string> {
  const fitting = ODD_WORDS.filter((word) => word.length >= minLength && word.length <= maxLength);
  return fc.constantFrom(...fitting).map(json);
}

/** Whole numbers, written in every way that JSON has for them. */
function oddInteger({ minimum = 0, maximum = 1_000 }: Schema): fc.Arbitrary<string> {
  const isFitting = (text: string) =>
    Number.isInteger(Number(text)) && minimum <= Number(text) && Number(text) <= maximum;
  return fc.oneof(
    fc.integer({ min: Math.max(minimum, -0x80000000), max: Math.min(maximum, 0x7fffffff) }).map(String),
    fc.constantFrom(...[String(maximum), ...ODD_INTEGERS].filter(isFitting)),
  );
}

/** Any characters, most of them odd; now and then as long as it may be. */
function textWithin({ minLength = 0, maxLength = 500 }: Schema): fc.Arbitrary<string> {
  const most = Math.min(maxLength, 500);
  return fc.oneof(
    fc.string({ unit: 'binary', minLength, maxLength: Math.max(minLength, most >> 1) }).map(json),
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, most >> 2) }).map(json),
    fc.constantFrom('x', '😀', 'é', '\u0001', '"').map((unit) => json(unit.repeat(Math.floor(most / unit.length)))),
  );
}
