/** The wire of channels, communities, groups and the sandbox (specification, contract §3 and §4). */
import { z } from 'zod';
import { phoneDigits } from '../../identity/phone-number.ts';
import { optional, text, withDefault } from './fields.ts';
import { groupListId } from './group-lists.ts';

const groupMetadataId = z.number().int().meta({ description: 'What campaigns name in `group_metadata_ids`.' });
const name = text(1, 100);
const description = withDefault(text(0, 2_048), '');
export const groupKind = z.enum(['group', 'community', 'channel']).meta({ id: 'GroupKind' });

/** A chat's identifier; `_serialized` is `<user>@<server>`. */
const nid = z.object({ server: z.string(), user: z.string(), _serialized: z.string() }).meta({
  id: 'Nid',
  examples: [{ server: 'newsletter', user: '120363000000000001', _serialized: '120363000000000001@newsletter' }],
});

export const createChannelBody = z
  .object({
    name,
    description,
    image: optional(z.string().min(1, { error: 'must not be empty: leave it out or send null' })).meta({
      description: 'A data URL of a JPEG, PNG or WebP: `data:image/png;base64,…`',
    }),
  })
  .meta({ id: 'CreateChannel' });

export const createChannelData = z.object({
  resp: z.object({
    title: z.string(),
    nid,
    inviteLink: z.string(),
    createdAtTs: z.number().int().meta({ description: 'Seconds since 1970 in UTC.' }),
  }),
  group_metadata_id: groupMetadataId,
});

export const createCommunityBody = z.object({ community_name: name, description }).meta({ id: 'CreateCommunity' });
export const createdGroupData = z.object({ group_name: z.string(), group_metadata_id: groupMetadataId });

export const createGroupBody = z
  .object({
    group_name: name,
    participants: z
      .array(
        text(0, 64).refine((number) => phoneDigits(number) !== undefined, {
          error: 'must be a phone number of 7 to 15 digits',
        }),
      )
      .max(1_023)
      .meta({ description: 'Phone numbers; may be empty.', examples: [['+49 151 2345-6789']] }),
  })
  .meta({ id: 'CreateGroup' });

export const listGroupsBody = z.object({
  kind: optional(groupKind),
  search: optional(text(0, 200)).meta({ description: 'Part of the name, in any case.' }),
  group_list_id: optional(groupListId).meta({ description: 'Only groups of this saved list.' }),
  with_activity: optional(z.boolean()).meta({
    description: 'Answers `activity` of each group, too: what came of the posts of the last 90 days.',
  }),
  min_participants: optional(z.int().min(0)).meta({ description: 'Only groups with so many participants or more.' }),
  max_participants: optional(z.int().min(0)).meta({ description: 'Only groups with so many participants or fewer.' }),
  silent_days: optional(z.int().min(1).max(90)).meta({
    description: 'Only groups to which nothing was sent for so many days.',
  }),
  active_days: optional(z.int().min(1).max(90)).meta({
    description: 'Only groups to which something was sent within so many days.',
  }),
  has_failed: optional(z.boolean()).meta({
    description: 'true: only groups to which a post of the last 90 days failed.',
  }),
  sort_by: optional(z.enum(['name', 'kind', 'participants', 'last_posted_at', 'read_rate', 'failed'])).meta({
    description:
      'In order of their ids unless given. Groups of whom no `read_rate` is known come last in either order.',
  }),
  descending: withDefault(z.boolean(), false).meta({ description: 'With `sort_by`: the other way round.' }),
  with_totals: optional(z.boolean()).meta({ description: 'Answers `totals` of all that are found, too.' }),
  limit: withDefault(z.int().min(1).max(500), 100),
  cursor: optional(text(1, 200)).meta({
    description: '`next_cursor` of the page before, which was asked for in the same way.',
  }),
});

const groupActivity = z
  .object({
    posts: z.number().int(),
    failed: z.number().int().meta({ description: 'Posts that failed and were not sent again since.' }),
    last_posted_at: z.string().meta({ format: 'date-time' }).nullable(),
    recipients: z.number().int().meta({ description: 'People who could have read them, each once for a post.' }),
    read: z.number().int().meta({ description: 'Of a channel its views.' }),
    read_rate: z.number().nullable().meta({ description: 'null: there was nobody to read.' }),
  })
  .meta({ id: 'GroupActivity' });

export const listGroupsData = z.object({
  groups: z.array(
    z.object({
      group_metadata_id: groupMetadataId,
      group_name: z.string(),
      kind: groupKind,
      nid,
      participants: z.number().int(),
      invite_link: z.string().nullable(),
      can_send: z.boolean(),
      activity: groupActivity.optional().meta({ description: 'Only where `with_activity` asks for it.' }),
    }),
  ),
  totals: z
    .object({ groups: z.number().int(), participants: z.number().int() })
    .optional()
    .meta({ description: 'Only where `with_totals` asks for it: of all that are found, on whatever page.' }),
  next_cursor: z.string().nullable(),
});

export const syncGroupsData = z.object({
  added: z.number().int(),
  updated: z.number().int(),
  removed: z.number().int(),
});

export const listMessagesBody = z.object({
  group_metadata_id: z.int(),
  limit: withDefault(z.int().min(1).max(1_000), 100),
  with_changes: withDefault(z.boolean(), false).meta({
    description:
      'Also what was deleted for everyone, without its text and file, and of each when it was deleted or last edited.',
  }),
  cursor: optional(text(1, 200)).meta({ description: '`next_cursor` of the page before.' }),
});

const changedAt = z
  .string()
  .meta({ format: 'date-time' })
  .nullable()
  .optional()
  .meta({ description: 'Only `with_changes`; null: it was not.' });

export const listMessagesData = z.object({
  messages: z.array(
    z.object({
      message_id: z.string(),
      text: z.string(),
      media: z.object({ mime: z.string(), size: z.number().int(), sha256: z.string() }).nullable(),
      sent_at: z.string().meta({ format: 'date-time' }),
      recalled_at: changedAt,
      corrected_at: changedAt,
    }),
  ),
  next_cursor: z.string().nullable(),
});
