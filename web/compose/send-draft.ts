import { call, callWithHeaders } from '../api/call.ts';
import { textTypeOf } from '../api/library.ts';
import { postOf, scheduleOf } from './campaign-body.ts';
import type { Draft } from './draft.ts';

/**
 * Sends or schedules a draft. Resolves to the campaign's id. Idempotent: repeating it after a lost response sends nothing twice. Aborting
 * too late does not stop it.
 */
export async function sendDraft(
  draft: Draft,
  name: string,
  file: File | null,
  signal: AbortSignal,
  { isTest = false, ignoresQuietHours = false }: { isTest?: boolean; ignoresQuietHours?: boolean } = {},
): Promise<string> {
  const post = postOf(draft, name, file && (await base64(file)));
  const options = { idempotencyKey: draft.idempotencyKey, signal };
  if (!draft.isScheduled)
    return (
      await call(
        'venom/add-campaign',
        { ...post, is_schedule: false, is_test: isTest, ...(ignoresQuietHours && { ignore_quiet_hours: true }) },
        options,
      )
    ).campaign_id;
  const { headers } = await callWithHeaders('venom/add-campaign-batch', { ...post, ...scheduleOf(draft) }, options);
  return headers.get('x-campaign-id') ?? '';
}

/** Asks for the approval of a draft, under its own id: the post of an earlier request is replaced. Idempotent. */
export async function askForApproval(
  id: string,
  draft: Draft,
  name: string,
  file: File | null,
  signal: AbortSignal,
): Promise<void> {
  const post = { ...postOf(draft, name, file && (await base64(file))), approval_id: id };
  await call(
    'venom/request-approval',
    draft.isScheduled ? { ...post, ...scheduleOf(draft) } : { ...post, is_schedule: false },
    { signal },
  );
}

/** Returns the file in base64. Only text files have a data URL prefix: the service detects all other types. */
export function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    const type = textTypeOf(file);
    const prefix = type === undefined ? '' : `data:${type};base64,`;
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, prefix)));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')));
    reader.readAsDataURL(file);
  });
}
