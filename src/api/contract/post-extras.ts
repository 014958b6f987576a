/** What a post may have beside its text and its one file: fields that every operation about a post has in common. */
import { z } from 'zod';
import { EXTRAS_FIELDS } from '../../content/post/post-extras.ts';
import { ballotFields, ballotFieldsData } from './ballot-fields.ts';
import { ISSUES } from '../../platform/errors/issues.ts';
import { MOST_TRANSLATIONS } from '../../content/post/translations.ts';
import { count, groupListIds, HTML_LIMIT, list, optional, requiredAccountId, text, typedText } from './fields.ts';
import { postFiles, postFilesData } from './post-files.ts';
import { linkPreviewData, linkPreviewField } from './link-preview.ts';

/** WhatsApp's own choices. */
export const pinFor = z.enum(['24h', '7d', '30d']).meta({ id: 'PinFor' });

/** A text is the message in one language, sent as the message itself is. */
export const translation = z.object({
  language: text(1, 100),
  html: z.string().optional().pipe(text(0, HTML_LIMIT)),
  text: typedText,
});
const areShort = (texts: ReadonlyArray<z.output<typeof translation>>) =>
  texts.reduce((sum, { html }) => sum + html.length, 0) <= HTML_LIMIT;

/** Fields in a post, which each group has its own values of, and its texts in further languages. */
export const postFieldsBody = {
  translations: optional(
    list(translation, MOST_TRANSLATIONS).refine(areShort, { error: ISSUES.translations_too_long }),
  ).meta({
    id: 'Translations',
    description:
      'Texts in place of `html`, by the language of the group: its first field of the kind `language`. Others get `html`.',
  }),
  with_fields: optional(z.boolean()).meta({
    id: 'WithFields',
    description:
      'Fills `{{ name }}` and `{{ name | "fallback" }}` for each group: its value of the field, or `group`, `members`, `date`, `weekday`, `time`. Default: braces stay.',
  }),
  on_missing_value: optional(z.enum(['reject', 'leave_out'])).meta({
    id: 'OnMissingValue',
    description:
      'Groups without a value or fallback: the request is rejected (default), later the post fails; or they get none.',
  }),
};
/** The same in an answer. */
export const postFieldsData = {
  translations: z
    .array(z.object({ language: z.string(), html: z.string() }))
    .optional()
    .meta({ id: 'PostTranslations' }),
  with_fields: z.literal(true).optional(),
  on_missing_value: z.literal('leave_out').optional().describe('Absent: `reject`.'),
};

export const postExtras = {
  file_name: optional(text(1, 200)).meta({
    id: 'FileName',
    description: 'The name of the file as recipients see it; its extension becomes that of the type. Default: `file`.',
    examples: ['Programme.pdf'],
  }),
  media: postFiles,
  mention_all: optional(z.boolean()).meta({
    id: 'MentionAll',
    description:
      'Mentions everybody in each group: the text shows `@all`, which stands before it unless it has one. Not in channels. Limited by `mention_all_cap` of `update-account`.',
  }),
  pin_for: optional(pinFor).meta({
    id: 'PinPostFor',
    description: 'Pins each post in its group for so long after it was sent. Not in channels.',
  }),
  reply_to: optional(
    z.object({
      campaign_id: z.guid(),
      run_id: optional(z.int()).describe('Default: the latest run that has begun by then.'),
    }),
  ).meta({
    id: 'ReplyTo',
    description:
      'Quotes the post of an earlier campaign, in each group that got it. Other groups and channels get the post without a quote.',
  }),
  follow_up: optional(
    z.object({
      campaign_id: z.guid(),
      run_id: optional(z.int()).describe('Default: all its runs.'),
      under_percent: z.int().min(1).max(100),
    }),
  ).meta({
    id: 'FollowUp',
    description:
      'Posts only to groups in which fewer than `under_percent` of the members have read the posts of an earlier campaign. That is checked in each run, right before its posts are queued. Groups whose reads are unknown, such as channels, are left out.',
  }),
  account_id: optional(requiredAccountId).meta({
    id: 'SendingAccount',
    description:
      'The account that sends to all groups that it may post to. Default: the sender of each group, which without rules is the default account.',
  }),
  group_list_ids: groupListIds,
  from_template: optional(z.guid()).meta({
    id: 'FromTemplate',
    description: 'The template that the post began with, for its `uses`. Not checked.',
  }),
  ...ballotFields,
  link_preview: linkPreviewField,
};

/** Names of extras, for a change that takes some away. */
export const postExtrasNames = z.enum(EXTRAS_FIELDS);

/** The same fields in an answer. */
export const postExtrasData = {
  file_name: z.string().nullable().meta({ id: 'ShownFileName', description: '`null`: recipients see `file`.' }),
  mention_all: z.boolean(),
  pin_for: pinFor.nullable(),
  reply_to: z
    .object({ campaign_id: z.string(), run_id: z.number().int().nullable() })
    .nullable()
    .meta({ id: 'RepliedCampaign', description: 'The earlier campaign whose posts are quoted.' }),
  follow_up: z
    .object({ campaign_id: z.string(), run_id: z.number().int().nullable(), under_percent: z.number().int() })
    .nullable()
    .meta({
      id: 'FollowedCampaign',
      description: 'The earlier campaign, and how few members of a group have read it.',
    }),
  account_id: z
    .number()
    .int()
    .nullable()
    .meta({ id: 'ChosenAccount', description: '`null`: the sender of each group sends.' }),
  group_list_ids: z.array(count).optional().meta({ id: 'ListsOfPost', description: 'Absent: none.' }),
  from_template: z.string().nullable(),
  link_preview: linkPreviewData,
  ...ballotFieldsData,
};

/** What a post with fields says to one group, beside its text. */
export const saidInGroup = {
  file_name: postExtrasData.file_name,
  media: postFilesData,
  link_preview: z
    .object({ url: z.string(), title: z.string(), description: z.string() })
    .nullable()
    .meta({ id: 'SaidByCard' }),
  ...ballotFieldsData,
};

/** The same fields in an answer that is a body for another request. */
export const copiedExtras = { ...postExtrasData, media: postFilesData };
