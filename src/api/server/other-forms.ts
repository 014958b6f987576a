/** Clients that can send no other JSON: numbers and booleans as strings, and other forms of dates, times and phone numbers (contract §2). */
import { z } from 'zod';
import { forms, type Form } from '../contract/forms.ts';
import { fieldError, type FieldError } from '../../platform/errors/errors.ts';
import { toAsciiNumber } from '../../platform/phone/phone-number.ts';
import { fieldsOf, isRecord, MAX_REPORTED, unwrap } from './body-fields.ts';

/** As many items of a list are read; longer ones are refused. */
const MOST_ITEMS = 20_001;

/** What was meant, and what to send. */
interface Reading {
  value: unknown;
  expected: string;
}

/**
 * Returns the body with each value in the form of its field, where it could mean nothing else, and which fields were sent otherwise, ten
 * at most. Anything ambiguous stays as it is.
 */
export function readOtherForms(schema: z.core.$ZodType, body: unknown): { body: unknown; found: FieldError[] } {
  const found = new Map<string, FieldError>();
  const settled = settle(schema, body, '', found);
  // A field that is right by now may choose among forms of the body.
  const again = found.size > 0 ? settle(schema, settled, '', found) : settled;
  return { body: again, found: [...found.values()].slice(0, MAX_REPORTED) };
}

function settle(schema: z.core.$ZodType, value: unknown, path: string, found: Map<string, FieldError>): unknown {
  const inner = unwrap(schema);
  if (Array.isArray(value)) return inner instanceof z.ZodArray ? settleItems(inner, value, path, found) : value;
  if (isRecord(value)) return settleFields(inner, value, path, found);
  const reading = readValue(inner, value);
  if (!reading) return value;
  found.set(path, fieldError(path, 'other_form', { value: String(reading.value), expected: reading.expected }));
  return reading.value;
}

function settleItems(schema: z.ZodArray, items: readonly unknown[], path: string, found: Map<string, FieldError>) {
  // Ten thousand ids are numbers nearly always: nothing is done for each.
  const areNumbers = unwrap(schema.element) instanceof z.ZodNumber && items.every((item) => typeof item === 'number');
  return areNumbers || items.length > MOST_ITEMS
    ? items
    : items.map((item) => settle(schema.element, item, path, found));
}

function settleFields(
  schema: z.core.$ZodType,
  value: Readonly<Record<string, unknown>>,
  path: string,
  found: Map<string, FieldError>,
): unknown {
  const fields = fieldsOf(schema, value);
  if (!fields) return value;
  const of = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const within = path === '' ? '' : `${path}.`;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const field = of(name);
      return [name, field ? settle(field, part, within + name, found) : part];
    }),
  );
}

/** Undefined for a value that has its form, and for one that could mean several. */
function readValue(schema: z.core.$ZodType, value: unknown): Reading | undefined {
  if (schema instanceof z.ZodUnion) {
    if (z.safeParse(schema, value).success) return undefined;
    return schema.options.map((option) => readValue(unwrap(option), value)).find((reading) => reading !== undefined);
  }
  if (schema instanceof z.ZodBoolean || (schema instanceof z.ZodLiteral && typeof schema.value === 'boolean'))
    return readBoolean(value);
  if (typeof value !== 'string') return undefined;
  if (schema instanceof z.ZodNumber) return readNumber(value);
  const form = forms.get(schema)?.form;
  if (form === undefined || value.length > LONGEST) return undefined;
  const { read, expected } = READERS[form];
  const written = read(value);
  return written === undefined || written === value ? undefined : { value: written, expected };
}

const LONGEST = 100;
const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
]);

function readBoolean(value: unknown): Reading | undefined {
  const meant = BOOLEANS.get(typeof value === 'string' ? value.toLowerCase() : value);
  return meant === undefined ? undefined : { value: meant, expected: 'true or false without quotes' };
}

function readNumber(text: string): Reading | undefined {
  if (!/^(?:0|-?[1-9]\d{0,15})$/.test(text)) return undefined;
  return { value: Number(text), expected: 'a number without quotes' };
}

const READERS: Readonly<Record<Form, { read: (text: string) => string | undefined; expected: string }>> = {
  date: { read: readDate, expected: 'a date of the form YYYY-MM-DD' },
  time: { read: (text) => readTime(text, true), expected: 'a time of day of the form HH:MM:SS' },
  minutes: { read: (text) => readTime(text, false), expected: 'a time of day of the form HH:MM' },
  phone: { read: toAsciiNumber, expected: 'a number of ASCII digits' },
};

/** A date with a time is that date, unless the time is one of UTC: there it may be another date than that of its author. */
function readDate(text: string): string | undefined {
  const parts = DATE.exec(text.trim())?.groups;
  if (!parts) return undefined;
  const { year = '', month = '', day = '', clock, zone } = parts;
  if (zone === 'Z' && !/^[0:.]*$/.test(clock ?? '')) return undefined;
  return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
}

const DATE =
  /^(?<year>\d{4})(?:-(?<month>\d{1,2})-(?<day>\d{1,2})|(?<month>\d{2})(?<day>\d{2}))(?:[T ](?<clock>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/;

function readTime(text: string, hasSeconds: boolean): string | undefined {
  const parts = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.0+)?$/.exec(text.trim());
  if (!parts) return undefined;
  const [, hour = '', minute = '', second = '00'] = parts;
  if (!hasSeconds && second !== '00') return undefined;
  return [hour.padStart(2, '0'), minute, ...(hasSeconds ? [second] : [])].join(':');
}
