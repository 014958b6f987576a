/** Drafts (contract §4). A draft may be incomplete: only lengths are checked. */
import { z } from 'zod';
import { POST_LIMIT_BYTES } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import {
  base64File,
  count,
  HTML_LIMIT,
  instant,
  MOST_GROUPS,
  optional,
  person,
  storedFile,
  text,
  newTags,
  tags,
  typedText,
  withDefault,
  named,
  list,
} from './fields.ts';
import { groupKind } from './group-rules.ts';
import { draftBallotFields, draftBallotFieldsData } from './ballot-fields.ts';
import { linkPreviewCopy } from './link-preview.ts';
import { copiedExtras, postExtras, postFieldsBody, postFieldsData } from './post-extras.ts';
import { shownFiles } from './post-files.ts';

const draftId = z.guid().meta({ format: 'uuid', examples: ['0b0e7a0c-6c0e-4f0a-9c55-2d1d1c3a7f10'] });

export const saveDraftBody = named('SaveDraft', {
  draft_id: draftId.describe('A random UUID that the client generates.'),
  version: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .meta({ id: 'SavedVersion', description: 'The version that you have changed; 0 for a new one.', examples: [1] }),
  name: withDefault(text(0, 200), ''),
  html: withDefault(text(0, HTML_LIMIT), '').describe('The message, as in add-campaign. Not validated.'),
  text: typedText,
  ...postFieldsBody,
  is_schedule: withDefault(z.boolean(), false).describe('Whether the campaign is to be scheduled.'),
  start_date: optional(text(0, 10)),
  end_date: optional(text(0, 10)),
  schedule_time: optional(text(0, 8)),
  time_zone: optional(text(0, 100)),
  recurrence: optional(text(0, 10_000)),
  weekdays: optional(list(z.int().min(1).max(7), 7)).meta({ id: 'DraftWeekdays', description: '1 is Monday.' }),
  skip_dates: optional(list(text(0, 10), 366)).meta({
    id: 'DraftSkipDates',
    description: 'Dates without a run. A campaign reads those in its range.',
  }),
  idempotency_key: optional(text(1, 255)).describe(
    'The `Idempotency-Key` to send the campaign with, so that two clients cannot send it twice.',
  ),
  image: base64File.describe('A file in base64, as in add-campaign. Omitted: the file stays.'),
  remove_image: withDefault(z.boolean(), false).describe('Removes the file.'),
  tags: newTags,
  ...postExtras,
  ...draftBallotFields,
  group_metadata_ids: withDefault(list(z.int({ error: 'must be a whole number' }), MOST_GROUPS), []),
});

/** What a draft stores. */
export const storedContent = z.object({
  html: z.string(),
  ...postFieldsData,
  with_fields: z.boolean().optional(),
  on_missing_value: z.enum(['reject', 'leave_out']).optional(),
  is_schedule: z.boolean(),
  start_date: z.string().nullable(),
  end_date: z.string().nullable(),
  schedule_time: z.string().nullable(),
  time_zone: z.string().nullable(),
  recurrence: z.string().nullable(),
  weekdays: z.array(count).nullable(),
  skip_dates: z.array(z.string()).nullable(),
  idempotency_key: z.string().nullable(),
  tags: tags.optional(),
  ...copiedExtras,
  ...draftBallotFieldsData,
  link_preview: linkPreviewCopy,
});

export const pickedGroups = z.array(
  named('PickedGroup', { group_metadata_id: count, group_name: z.string(), kind: groupKind, participants: count }),
);

const draftContent = storedContent
  .extend({
    files: shownFiles.describe('Those of `media` that are still kept.'),
    groups: pickedGroups.describe('Without deleted ones.'),
    own_group_metadata_ids: z.array(count).describe('Without those of its lists only.'),
  })
  .meta({ id: 'DraftContent' });

const draft = z.object({
  draft_id: draftId,
  name: z.string(),
  html_start: z.string().describe('The first 500 characters of the html.'),
  group_count: count,
  version: count,
  updated_at: instant,
  media: storedFile.nullable(),
  written_by: z.array(person).describe('Those who began and changed it, in this order.'),
  content: draftContent.optional().describe('With `draft_id`.'),
});

export const drafts = defineOperations('Campaigns', {
  saveDraft: {
    path: '/api/v1/venom/save-draft',
    access: 'write',
    idempotency: 'always',
    summary: 'Create or update a draft',
    description:
      'If the draft has changed since `version`, the answer is a 409. Saving the same content again changes nothing. Limited to 100 drafts, each with one file.',
    body: saveDraftBody,
    data: z.object({ draft_id: draftId, version: count }),
    errors: [
      'account_not_found',
      'draft_not_found',
      'group_not_found',
      'group_list_not_found',
      'draft_changed',
      'draft_limit_reached',
      'media_busy',
      'media_not_found',
      'storage_full',
    ],
    bodyLimitBytes: POST_LIMIT_BYTES,
    requiresDiskSpace: true,
  },
  listDrafts: {
    path: '/api/v1/venom/list-drafts',
    access: 'read',
    summary: 'List your drafts',
    description: 'The most recently changed come first.',
    body: z.object({
      draft_id: optional(draftId).describe('Returns only this draft, with its `content`.'),
    }),
    data: z.object({ drafts: z.array(draft) }),
    errors: ['draft_not_found'],
    longAnswer: 'pieces',
  },
  deleteDraft: {
    path: '/api/v1/venom/delete-draft',
    access: 'write',
    summary: 'Delete a draft',
    body: z.object({ draft_id: draftId }),
    errors: ['draft_not_found'],
  },
});
