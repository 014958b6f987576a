/** The wire of drafts (contract §4). A draft may be half done: what would be refused when it is sent is kept as it is. */
import { z } from 'zod';
import { HTML_LIMIT, MOST_GROUPS, optional, text, withDefault } from './fields.ts';

const draftId = z.guid().meta({ format: 'uuid', examples: ['0b0e7a0c-6c0e-4f0a-9c55-2d1d1c3a7f10'] });
const idempotencyKey = optional(text(1, 255)).meta({
  description: 'The `Idempotency-Key` that it will be sent with, so that nothing is sent twice from two places.',
});

const fields = {
  html: withDefault(text(0, HTML_LIMIT), '').meta({ description: 'The message, as in add-campaign; not looked at.' }),
  is_schedule: withDefault(z.boolean(), false),
  start_date: optional(text(0, 10)),
  end_date: optional(text(0, 10)),
  schedule_time: optional(text(0, 8)),
  time_zone: optional(text(0, 100)),
  weekdays: optional(z.array(z.int().min(1).max(7)).max(7)),
  idempotency_key: idempotencyKey,
};

export const saveDraftBody = z
  .object({
    draft_id: draftId.meta({ description: 'Drawn by you, at random.' }),
    version: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .meta({ description: 'The version that you have changed; 0 for a new draft.', examples: [1] }),
    name: withDefault(text(0, 200), ''),
    ...fields,
    image: optional(z.string().min(1, { error: 'must not be empty: leave it out or send null' })).meta({
      description: 'A file in base64, as in add-campaign; stays as it is unless given.',
    }),
    remove_image: withDefault(z.boolean(), false).meta({ description: 'Takes the file out.' }),
    group_metadata_ids: withDefault(z.array(z.int({ error: 'must be a whole number' })).max(MOST_GROUPS), []),
  })
  .meta({ id: 'SaveDraft' });
export const saveDraftData = z.object({ draft_id: draftId, version: z.number().int() });

export const draftBody = z.object({ draft_id: draftId });
export const listDraftsBody = z.object({
  draft_id: optional(draftId).meta({ description: 'Only this one, with its `content`.' }),
});

const draftContent = z
  .object({
    html: z.string(),
    is_schedule: z.boolean(),
    start_date: z.string().nullable(),
    end_date: z.string().nullable(),
    schedule_time: z.string().nullable(),
    time_zone: z.string().nullable(),
    weekdays: z.array(z.number().int()).nullable(),
    idempotency_key: z.string().nullable(),
    groups: z.array(
      z.object({
        group_metadata_id: z.number().int(),
        group_name: z.string(),
        kind: z.enum(['group', 'community', 'channel']),
        participants: z.number().int(),
      }),
    ),
  })
  .meta({ id: 'DraftContent' });

export const listDraftsData = z.object({
  drafts: z.array(
    z.object({
      draft_id: draftId,
      name: z.string(),
      html_start: z.string().meta({ description: 'The first 500 characters of its html.' }),
      group_count: z.number().int(),
      version: z.number().int(),
      updated_at: z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' }),
      media: z.object({ mime: z.string(), size: z.number().int(), sha256: z.string() }).nullable(),
      content: draftContent.optional(),
    }),
  ),
});
