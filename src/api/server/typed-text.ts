/** A body with `text`, as typed on a phone, in place of `html` (contract §3, add-campaign). From here on the message is its html. */
import type { z } from 'zod';
import { TEXT_LIMIT } from '../../content/text/document.ts';
import { htmlOfTyped } from '../../content/text/typed-text.ts';
import { MOST_TRANSLATIONS } from '../../content/post/translations.ts';
import { typedText } from '../contract/fields.ts';
import { translation } from '../contract/post-extras.ts';
import { fieldsOf, isRecord } from './body-fields.ts';
import type { FailedAnswer } from './envelope.ts';

/**
 * Returns the body with its text as html, and so in its translations; undefined for a body that has no text, a wrong one, or html as well.
 * `isTyped`: its main text was.
 */
export function putTextIntoHtml(
  schema: z.core.$ZodType,
  body: unknown,
): { body: Record<string, unknown>; isTyped: boolean } | undefined {
  if (!isRecord(body)) return undefined;
  const fields = fieldsOf(schema, body);
  const typed = typedOf(fields, body);
  const { translations } = body;
  if (!fields?.['translations'] || !Array.isArray(translations) || translations.length > MOST_TRANSLATIONS)
    return typed && { body: typed, isTyped: true };
  const read = translations.map((one: unknown) => (isRecord(one) && typedOf(translation.shape, one)) || one);
  return { body: { ...(typed ?? body), translations: read }, isTyped: typed !== undefined };
}

function typedOf(
  fields: ReturnType<typeof fieldsOf>,
  body: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (fields?.['text'] !== typedText) return undefined;
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
