/** Templates: posts that are saved to begin others with (contract §4). As drafts, they may be incomplete. */
import { z } from 'zod';
import { POST_LIMIT_BYTES } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { pickedGroups, saveDraftBody, storedContent } from './drafts.ts';
import { base64File, count, instant, label, list, MOST_LISTS, named, optional, person, withDefault } from './fields.ts';
import { groupListId } from './group-lists.ts';
import { shownFiles } from './post-files.ts';

const templateId = z.guid().meta({ format: 'uuid', examples: ['0b0e7a0c-6c0e-4f0a-9c55-2d1d1c3a7f11'] });
const { version, ...post } = saveDraftBody.omit({
  draft_id: true,
  name: true,
  idempotency_key: true,
  remove_image: true,
  from_template: true,
}).shape;

export const templateContent = storedContent
  .omit({ idempotency_key: true })
  .extend({ name: z.string(), group_metadata_ids: z.array(count) })
  .meta({ id: 'TemplateContent' });

const template = z.object({
  template_id: templateId,
  name: z.string(),
  html_start: z.string(),
  version: count,
  updated_at: instant,
  begun_by: person,
  changed_by: person.describe('Who saved it last.'),
  uses: z.object({
    campaigns: count.describe('Of the newest 100 posts with `from_template`, without tests and deleted ones.'),
    last_sent_at: instant.nullable(),
    read_rate: z.number().nullable().describe('Of all their posts, as in `list-campaigns`.'),
  }),
  content: templateContent
    .optional()
    .describe(
      'With `template_id`: a body for `save-draft` and operations that add a campaign, without what was removed since, and with dates ahead.',
    ),
  files: shownFiles.optional(),
  groups: pickedGroups.optional().describe('With `template_id`, also those of its lists.'),
  own_group_metadata_ids: z.array(count).optional().describe('With `template_id`: without those of its lists only.'),
  group_list_ids: z.array(count).optional().describe('With `template_id`.'),
});

export const templates = defineOperations('Campaigns', {
  saveTemplate: {
    path: '/api/v1/venom/save-template',
    access: 'write',
    idempotency: 'always',
    summary: 'Create or update a template',
    description:
      'A post that is saved whole, for everybody in the workspace: unfinished, or as `duplicate-campaign` returns it. Authors change those that they have begun, managers all. Locking as in `save-draft`. Limited to 100.',
    body: named('SaveTemplate', {
      template_id: templateId.describe('A random UUID that the client generates.'),
      version,
      name: label(200).meta({ examples: ['Spring fair'] }),
      ...post,
      image: base64File.describe('A file in base64. It becomes the one of `media`.'),
      group_list_ids: withDefault(list(groupListId, MOST_LISTS), []).describe(
        'Saved lists, to which a post that begins with it also goes.',
      ),
    }),
    data: z.object({ template_id: templateId, version: count }),
    errors: [
      'account_not_found',
      'group_not_found',
      'group_list_not_found',
      'template_not_found',
      'template_changed',
      'template_limit_reached',
      'media_busy',
      'media_not_found',
      'storage_full',
    ],
    bodyLimitBytes: POST_LIMIT_BYTES,
    requiresDiskSpace: true,
  },
  listTemplates: {
    path: '/api/v1/venom/list-templates',
    access: 'read',
    summary: 'List the templates of your workspace',
    description: 'The most recently changed come first. A post begins with the `content` of one.',
    body: z.object({
      template_id: optional(templateId).describe('Returns only this template, with its `content`.'),
    }),
    data: z.object({ templates: z.array(template) }),
    errors: ['template_not_found'],
    longAnswer: 'pieces',
  },
  deleteTemplate: {
    path: '/api/v1/venom/delete-template',
    access: 'write',
    summary: 'Delete a template',
    body: z.object({ template_id: templateId }),
    errors: ['template_not_found'],
  },
});
