/** Strings of answers that the service, or the caller's own words, make: ids, states, instants, and the text that was sent to be checked. */
const OWN = new Set([
  'changes',
  'check_id',
  'code',
  'date',
  'error_code',
  'from_template',
  'kind',
  'left_out',
  'links',
  'local',
  'media_type',
  'messenger',
  'mime',
  'next_cursor',
  'no_preview_because',
  'pause_reason',
  'pin_for',
  'post_kind',
  'sha256',
  'skipped_reason',
  'state',
  'status',
  'text',
  'time_zone',
  'url',
  'user_name',
  'whatsapp_number',
]);
const OWN_ENDINGS = /(_at|_id|_until|_since)$/;

/**
 * Prompt injection: returns an answer in which every text that others may have written is `{"untrusted_text": …}`. All texts are, unless
 * their field is known to be the service's own, so that a new field is marked. An object, because a delimiter within a text could be forged.
 */
export function wrapUntrustedText(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return isOwn(field) ? value : { untrusted_text: value };
  // Its keys are texts, too.
  if (field === 'metadata') return { untrusted_text: JSON.stringify(value) };
  if (Array.isArray(value)) return value.map((item) => wrapUntrustedText(item, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wrapUntrustedText(inner, name)]));
}

/** An id that a program chose is a text like others. */
function isOwn(field: string): boolean {
  return OWN.has(field) || (OWN_ENDINGS.test(field) && !field.endsWith('external_id'));
}
