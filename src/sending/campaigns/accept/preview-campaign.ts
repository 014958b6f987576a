import { findLinksOf } from '../../../content/link-preview/find-links.ts';
import { compilePost, type BesideText, type Template } from '../../../content/post/fill-post.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import type { FailureParams } from '../../../platform/errors/failures.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { requireGroups } from '../../groups/require-groups.ts';
import { bindFields } from '../../values/bind-fields.ts';
import { readGroupValues } from '../../values/select-values.ts';
import type { FieldError } from '../../../platform/errors/errors.ts';
import { TEXT_LIMIT } from '../../../content/text/html-to-whatsapp.ts';
import { captionWarning, type Warning } from '../../../content/text/warnings.ts';
import type { Translation } from '../../../content/post/translations.ts';
import { writePlaceholders } from '../../../content/text/placeholders.ts';
import { planOccurrences, readTimeZone, type ScheduledInput } from './add-scheduled-campaign.ts';
import type { CheckDeps } from './check-campaign.ts';
import { understandPost, type PostInput, type SentPost } from './prepare-post.ts';

export interface Preview {
  text: string;
  /** UTF-16 code units, as WhatsApp counts. */
  length: number;
  limit: number;
  warnings: Warning[];
  /** Why the group would not get the post. Undefined: it would, or no group was asked for. */
  unfit?: { code: string; message: string; params?: FailureParams } | undefined;
  /** Of the text of the group; undefined: it gets the main text. */
  language?: string | undefined;
  /** What else of the post the group would get. Undefined: no group was asked for, or it would get none. */
  said?: PostExtras | undefined;
  /** The links as the text has them, each once: one of them can have a card. */
  links: string[];
  /** As groups get them, with placeholders. Undefined: there are none. */
  translations?: Array<Pick<Preview, 'text' | 'length'> & Pick<Translation, 'language'>> | undefined;
}

const LINKS_LISTED = 100;

export type PreviewDeps = Pick<CheckDeps, 'db' | 'convert' | 'timeZone'>;

export interface PreviewInput extends Omit<SentPost, 'image' | 'leavesOut'> {
  /** Of a post with fields or translations: the group that gets it. */
  groupId?: number | undefined;
  /** It is filled for the first run; default: for now. */
  schedule?: Omit<ScheduledInput, keyof PostInput> | undefined;
  /** What is wrong with the request. */
  known: readonly FieldError[];
}

/**
 * The very text that would be sent (contract §4, preview-campaign); with fields or translations the text for a group, or with its placeholders.
 * Throws 400 with everything that is wrong with the post, and 404 for a group of another workspace.
 */
export async function previewCampaign(
  deps: PreviewDeps,
  actor: Actor,
  { groupId, schedule, known, ...post }: PreviewInput,
): Promise<Preview> {
  const { workspaceId } = actor;
  const { text: written = '', fields, extras, warnings } = await understandPost(deps, { ...post, image: null }, known);
  if (groupId !== undefined) await requireGroups(deps.db, workspaceId, [groupId], 'group_metadata_id');
  const bound = fields && (await bindFields(deps.db, workspaceId, fields, extras));
  const filled =
    bound && groupId !== undefined
      ? await fillFor(deps, actor, {
          template: bound,
          extras,
          hasFile: (post.withFile ?? false) || extras.files !== undefined,
          groupId,
          schedule,
        })
      : undefined;
  const { text = written, unfit, language, said } = filled ?? {};
  const caption = captionWarning(text);
  return {
    text,
    length: text.length,
    limit: TEXT_LIMIT,
    warnings: [...warnings, ...(caption ? [caption] : [])],
    unfit,
    language: language || undefined,
    said,
    links: [...new Set(findLinksOf(text, filled?.text === undefined ? fields : undefined))].slice(0, LINKS_LISTED),
    translations: bound?.translations?.map(({ language: tag, ...one }) => {
      const shown = writePlaceholders(one.text, one.placeholders);
      return { language: tag, text: shown, length: shown.length };
    }),
  };
}

/** Returns what a group would get in the first run, or why it gets none; as if it was sent now if there would be no run. */
async function fillFor(
  deps: PreviewDeps,
  { workspaceId, userId }: Actor,
  {
    template,
    extras,
    hasFile,
    groupId,
    schedule,
  }: { template: Template; groupId: number } & BesideText & Pick<PreviewInput, 'schedule'>,
): Promise<{ text?: string } & Pick<Preview, 'said' | 'unfit' | 'language'>> {
  const { db, timeZone: installationZone } = deps;
  const now = await readNow(db);
  const zoned = schedule && { ...schedule, timeZone: schedule.timeZone ?? (await readTimeZone(deps, userId)) };
  const first = zoned && planOccurrences(zoned, now).occurrences.find((dueAt) => dueAt >= now);
  const run = { workspaceId, dueAt: first ?? now, timeZone: (first && zoned?.timeZone) ?? null, installationZone };
  const values = await readGroupValues(db, groupId, template, run);
  const filled = compilePost(template, { extras, hasFile })(values);
  if (!('failure' in filled)) return { text: filled.text, language: filled.language, said: filled.extras };
  const { code = 'other', reason: message, params } = filled.failure;
  return { unfit: { code, message, ...(params && { params }) } };
}
