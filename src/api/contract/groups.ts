/** Groups, communities and channels (contract §3 and §4). */
import { z } from 'zod';
import { MOST_FIELDS } from '../../content/fields/field-name.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { GROUP_SESSION_ERRORS } from './accounts.ts';
import { defineOperations } from './define-operations.ts';
import {
  accountId,
  base64File,
  count,
  cursor,
  descending,
  instant,
  label,
  nextCursor,
  optional,
  pageLimit,
  search,
  text,
  withDefault,
  named,
  keyed,
  objects,
  list,
  changedOwnData,
  listedOwnData,
  ownDataFilter,
} from './fields.ts';
import { groupListId } from './group-lists.ts';
import { groupKind, groupRule } from './group-rules.ts';
import { phone } from './users.ts';

/** A picture of 16 MiB in base64, and the rest. */
const PICTURE_LIMIT_BYTES = 23 * 1024 * 1024;

export const groupMetadataId = count.meta({
  id: 'GroupId',
  description: 'The id to be used in `group_metadata_ids` of a campaign.',
});
const name = label(100);
const description = withDefault(text(0, 2_048), '');

/** A chat's identifier; `_serialized` is `<user>@<server>`. */
const nid = z.object({ server: z.string(), user: z.string(), _serialized: z.string() }).meta({
  id: 'Nid',
  examples: [{ server: 'newsletter', user: '120363000000000001', _serialized: '120363000000000001@newsletter' }],
});

const createdGroup = { group_name: z.string(), group_metadata_id: groupMetadataId };
const createdGroupData = z.object(createdGroup);

/** Extra fields of create-group, which a client has to ask for. */
const notAdded = {
  not_added: objects({
    phone_number: z.string().meta({ examples: ['+4915123456789'] }),
    reason: z.enum(['privacy', 'not_on_whatsapp', 'left_recently', 'other']),
  })
    .optional()
    .describe('With `with_not_added`: who could not be added. Send them the `invite_link`.'),
  invite_link: z.string().nullable().optional().describe('With `with_not_added`.'),
};

const listGroupsBody = z.object({
  kind: optional(groupKind).describe('Only this kind.'),
  search: search.describe('Words of the name in any order, or the whole `nid._serialized`.'),
  group_list_id: optional(groupListId).describe('Only groups of this saved list.'),
  with_activity: optional(z.boolean()).describe(
    'Adds `activity` to each group: the results of the posts of the last 90 days.',
  ),
  min_participants: optional(z.int().min(0)).describe('Only groups with at least this many participants.'),
  max_participants: optional(z.int().min(0)).describe('Only groups with at most this many participants.'),
  silent_days: optional(z.int().min(1).max(90)).describe('Only groups without a post in this number of days.'),
  active_days: optional(z.int().min(1).max(90)).describe('Only groups with a post in this number of days.'),
  has_failed: optional(z.boolean()).describe('`true`: only groups with a failed post in the last 90 days.'),
  sort_by: optional(z.enum(['name', 'kind', 'participants', 'last_posted_at', 'read_rate', 'failed'])).describe(
    'Default: by id. Groups without a `read_rate` come last in either order.',
  ),
  descending,
  with_accounts: optional(z.boolean()).describe(
    'Adds `accounts` to each group: which of your accounts are members, and which one sends.',
  ),
  fields: optional(keyed(text(0, 1_000), MOST_FIELDS)).describe(
    'Only groups with each of these values, by the names of fields; `""`: without a value. Case, accents and the amount of space do not matter.',
  ),
  rule: optional(groupRule),
  with_fields: optional(z.boolean()).describe('Adds `fields` to each group: its values.'),
  ...ownDataFilter,
  with_totals: optional(z.boolean()).describe('Adds `totals` of all groups found.'),
  limit: pageLimit(500, 100),
  cursor,
});

const groupActivity = named('GroupActivity', {
  posts: count,
  failed: count.describe('Posts that failed and have not been sent since.'),
  last_posted_at: instant.nullable(),
  recipients: count.describe('People who could have read the posts, counted once per post.'),
  read: count.describe('Number of reads. For a channel, its views.'),
  read_rate: z.number().nullable().describe('`null` without recipients.'),
});

/** An account that is a member of a group. */
const groupAccount = named('GroupAccount', {
  account_id: count,
  can_send: z.boolean().describe('Whether this account may post there.'),
  is_admin: z.boolean().nullable().describe('`null`: not known.'),
  seen_at: instant.describe('When a sync of this account last found the group, to the hour.'),
  is_sender: z.boolean().describe('Whether a run that begins now is sent by this account.'),
});

/** A group in answers, as far as it takes to know which one it is. */
export const namedGroup = {
  group_metadata_id: groupMetadataId,
  group_name: z.string(),
  kind: groupKind,
  nid,
  participants: count,
  can_send: z.boolean().describe('Whether any of your accounts may post there.'),
};

/** The same, by itself. */
export const oneNamedGroup = named('NamedGroup', namedGroup);

/** A group in answers. */
export const listedGroup = { ...namedGroup, invite_link: z.string().nullable() };

/** What a group has in the fields of its workspace. */
export const fieldsOfGroup = keyed(z.string(), MOST_FIELDS).meta({
  id: 'FieldsOfGroup',
  description: 'Values by the names of fields. Fields without a value are left out.',
});

/** Errors of an operation that creates a chat through the live session. */
const CREATION_ERRORS = [
  'account_not_found',
  'idempotency_key_in_progress',
  'idempotency_key_outcome_unknown',
  'creation_limit_reached',
  ...GROUP_SESSION_ERRORS,
] as const satisfies readonly ErrorCode[];

export const groups = defineOperations('Groups', {
  createChannel: {
    path: '/api/v1/venom/create-channel',
    access: 'send',
    summary: 'Create a channel',
    body: named('CreateChannel', {
      name,
      description,
      image: base64File.describe('A data URL of the picture, `data:image/png;base64,…`'),
      account_id: accountId,
    }),
    data: z.object({
      resp: z.object({
        title: z.string(),
        nid,
        inviteLink: z.string(),
        createdAtTs: count.describe('Unix time in seconds.'),
      }),
      group_metadata_id: groupMetadataId,
    }),
    errors: [...CREATION_ERRORS, 'media_busy', 'storage_full'],
    idempotency: 'keyed',
    bodyLimitBytes: PICTURE_LIMIT_BYTES,
    requiresDiskSpace: true,
  },
  createCommunity: {
    path: '/api/v1/venom/create-community',
    access: 'send',
    summary: 'Create a community',
    description: 'A campaign sent to a community goes to its announcement group.',
    body: named('CreateCommunity', {
      community_name: name,
      description,
      general_chat: optional(z.boolean()).describe(
        'Creates a group in which all members can write. The next sync lists it.',
      ),
      members_may_add_groups: optional(z.boolean()).describe(
        'Lets members add groups to the community. Otherwise only admins can.',
      ),
      account_id: accountId,
    }),
    data: createdGroupData,
    errors: CREATION_ERRORS,
    idempotency: 'keyed',
  },
  createGroup: {
    path: '/api/v1/venom/create-group',
    access: 'send',
    summary: 'Create a group',
    body: named('CreateGroup', {
      group_name: name,
      participants: list(phone, 1_023).meta({
        description: 'Phone numbers of the members to add. May be empty.',
        examples: [['+49 151 2345-6789']],
      }),
      with_not_added: optional(z.boolean()).describe('Adds `not_added` and `invite_link`.'),
      account_id: accountId,
    }),
    data: z.object({ ...createdGroup, ...notAdded }),
    errors: CREATION_ERRORS,
    idempotency: 'keyed',
  },
  listGroups: {
    path: '/api/v1/venom/list-groups',
    access: 'read',
    summary: 'List your groups, communities and channels',
    description: 'First reads the groups of connected accounts whose groups were never read.',
    body: listGroupsBody,
    data: z.object({
      groups: objects({
        ...listedGroup,
        ...listedOwnData,
        fields: fieldsOfGroup.optional().describe('With `with_fields`.'),
        activity: groupActivity.optional().describe('With `with_activity`.'),
        accounts: z.array(groupAccount).optional().describe('With `with_accounts`.'),
      }),
      totals: z
        .object({ groups: count, participants: count })
        .optional()
        .describe('With `with_totals`: of all groups found, on any page.'),
      next_cursor: nextCursor,
    }),
    errors: ['group_list_not_found'],
    longAnswer: 'pieces',
  },
  updateGroup: {
    path: '/api/v1/venom/update-group',
    access: 'write',
    role: 'manager',
    summary: 'Keep an id and texts of yours with a group',
    description: 'Also with one that no longer exists. What is left out stays. Members see neither.',
    body: named('UpdateGroup', { group_metadata_id: groupMetadataId, ...changedOwnData }),
    errors: ['group_not_found', 'external_id_taken'],
  },
  getInviteLink: {
    path: '/api/v1/venom/get-invite-link',
    access: 'send',
    summary: 'Get the link to join a group',
    description:
      'An unknown link is asked for once, of an account that is a member and connected, the default account first.',
    body: z.object({
      group_metadata_id: groupMetadataId,
      refresh: optional(z.boolean()).describe('Asks for the link again, because the known one was revoked.'),
    }),
    data: z.object({ invite_link: z.string() }),
    errors: ['group_not_found', ...GROUP_SESSION_ERRORS],
  },
  syncGroups: {
    path: '/api/v1/venom/sync-groups',
    access: 'send',
    summary: 'Sync your groups with the messaging application',
    description:
      'Reads the groups of one account. A group that other accounts are members of stays when this one has left.',
    body: z.object({ account_id: accountId }),
    data: z.object({
      account_id: count,
      added: count.describe('Groups that the account was not a member of before.'),
      updated: count,
      removed: count.describe('Groups that the account is no longer a member of.'),
    }),
    errors: ['account_not_found', ...GROUP_SESSION_ERRORS],
  },
});
