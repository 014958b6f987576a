/** What a post may have beside its text and its one file: fields that every operation about a post has in common. */
import { z } from 'zod';
import { EXTRAS_FIELDS } from '../../content/post/post-extras.ts';
import { ballotFields, ballotFieldsData } from './ballot-fields.ts';
import { optional, requiredAccountId, text } from './fields.ts';
import { postFiles, postFilesData } from './post-files.ts';
import { linkPreviewData, linkPreviewField } from './link-preview.ts';

/** WhatsApp's own choices. */
export const pinFor = z.enum(['24h', '7d', '30d']).meta({ id: 'PinFor' });

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
      'Mentions everybody in each group: the text shows `@all`, which stands before it unless it has one. Not in channels. Limited per group and day by `mention_all_cap` of `update-account`: a later run that would exceed it leaves without the mention.',
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
  ...ballotFields,
  link_preview: linkPreviewField,
};

/** What a change can take away. */
export const removableNames = z.enum({ ...EXTRAS_FIELDS, externalId: 'external_id' });

/** The same fields in an answer. */
export const postExtrasData = {
  file_name: z.string().nullable().describe('`null`: recipients see `file`.'),
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
  account_id: z.number().int().nullable().describe('`null`: the sender of each group sends.'),
  link_preview: linkPreviewData,
  ...ballotFieldsData,
};

/** The same fields in an answer that is a body for another request. */
export const copiedExtras = { ...postExtrasData, media: postFilesData };
