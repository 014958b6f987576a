/** A body with `text`, as typed on a phone, in place of `html` (contract §3, add-campaign). From here on the message is its html. */
import type { z } from 'zod';
import { TEXT_LIMIT } from '../../content/text/document.ts';
import { htmlOfTyped } from '../../content/text/typed-text.ts';
import { typedText } from '../contract/fields.ts';
import { fieldsOf, isRecord } from './body-fields.ts';
import type { FailedAnswer } from './envelope.ts';

/** Returns the body with its text as html; undefined for a body that has no text, a wrong one, or html as well. */
export function putTextIntoHtml(schema: z.core.$ZodType, body: unknown): Record<string, unknown> | undefined {
  if (!isRecord(body) || fieldsOf(schema, body)?.['text'] !== typedText) return undefined;
  const { text, ...rest } = body;
  if (typeof text !== 'string' || text.length > TEXT_LIMIT || (rest['html'] ?? null) !== null) return undefined;
  return { ...rest, html: htmlOfTyped(text) };
}

/** Names the problems of the html by the field that was sent. */
export function nameText({ message, details, ...answer }: FailedAnswer): FailedAnswer {
  return {
    ...answer,
    message: message.replace(/^html /, 'text '),
    details: details.map((one) => (one.field === 'html' ? { ...one, field: 'text' } : one)),
  };
}
