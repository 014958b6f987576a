/** Rules on which account sends to a group (contract §4, several accounts). */
import { z } from 'zod';
import { SESSION_ERRORS } from './accounts.ts';
import { acceptDuplicates } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import {
  count,
  cursor,
  instant,
  nextCursor,
  optional,
  pageLimit,
  requiredAccountId,
  text,
  named,
  list,
} from './fields.ts';
import { groupListId } from './group-lists.ts';

const MOST_GROUPS_AT_ONCE = 1_000;
const MOST_ACCOUNTS = 10;

const id = z.int({ error: 'must be a whole number' });

const senderRule = named('SenderRule', {
  scope: z.enum(['group', 'group_list', 'workspace']),
  group_metadata_id: count.nullable().describe('`null` unless the scope is `group`.'),
  group_name: z.string().nullable(),
  group_list_id: count.nullable().describe('`null` unless the scope is `group_list`.'),
  group_list_name: z.string().nullable(),
  account_ids: z
    .array(count)
    .describe(
      'The preferred account first, then its stand-ins. Accounts that were removed since are still listed. Empty in the history: the rule was removed.',
    ),
  reason: z.string().nullable(),
  set_by: z.string().nullable().describe('A user name. `null`: the user was deleted.'),
  set_at: instant,
  replaced_at: instant.nullable().describe('`null`: the rule is in force.'),
});

export const senders = defineOperations('Groups', {
  setSenders: {
    path: '/api/v1/venom/set-senders',
    access: 'write',
    role: 'manager',
    idempotency: 'always',
    summary: 'Set which accounts send to groups',
    description:
      'Sets the rule of each of these groups and of this list; with neither, the rule of the workspace. The narrowest rule with an account that can send to the group wins. Runs that have begun keep their senders. The rule before is kept as history.',
    body: named('SetSenders', {
      group_metadata_ids: optional(list(id, MOST_GROUPS_AT_ONCE).min(1)).meta({
        description: 'The groups, 1,000 at most; a repeated id counts once.',
        examples: [[1, 2, 3]],
      }),
      group_list_id: optional(groupListId).describe('All groups of this saved list.'),
      account_ids: list(requiredAccountId, MOST_ACCOUNTS).meta({
        description:
          'The preferred account first, then its stand-ins; a repeated id counts once. Empty: removes the rule.',
        examples: [[1, 2]],
      }),
      reason: optional(text(0, 500)).describe('Kept with the rule, and in the audit log.'),
    }),
    errors: ['group_not_found', 'group_list_not_found', 'account_not_found'],
  },
  handOverDeliveries: {
    path: '/api/v1/venom/hand-over-deliveries',
    access: 'send',
    summary: 'Hand over the posts that wait for an account',
    description:
      'Gives deliveries of running runs that wait for an account, and that surely have not left, to the next account of each group that may post there. The groups of these accounts are synced before if that was not done since the account failed. A delivery of which an attempt may have left keeps its account, unless `accept_duplicates` is true.',
    body: z
      .object({
        account_id: requiredAccountId.meta({
          description: 'The account for which the deliveries wait.',
          examples: [1],
        }),
        to_account_id: optional(requiredAccountId).meta({
          description: 'The account that gets all it can send. Omitted: as the rules of `set-senders` say.',
          examples: [2],
        }),
        accept_duplicates: acceptDuplicates,
      })
      .refine(({ account_id: from, to_account_id: to }) => from !== to, {
        path: ['to_account_id'],
        error: 'must not equal account_id',
      })
      .meta({ id: 'HandOverDeliveries' }),
    data: z.object({
      account_id: count,
      handed_over: count.describe('Deliveries that another account sends now.'),
      kept: count.describe('Deliveries that stay: an attempt may have left, or no other account may post there.'),
    }),
    errors: ['account_not_found', ...SESSION_ERRORS],
  },
  listSenders: {
    path: '/api/v1/venom/list-senders',
    access: 'read',
    summary: 'List the rules on which accounts send',
    description:
      'The rule of the workspace, those of lists, and those of groups, each by name. The `with_accounts` of `list-groups` says which account sends to a group now.',
    body: z.object({
      group_metadata_id: optional(id).describe(
        'Only rules that concern this group: its own, those of its lists, and that of the workspace.',
      ),
      with_history: optional(z.boolean()).describe('Adds `history`.'),
      limit: pageLimit(1_000, 1_000),
      cursor,
    }),
    data: z.object({
      senders: z.array(senderRule),
      history: z
        .array(senderRule)
        .optional()
        .describe('With `with_history`: replaced and removed rules, newest first, at most 100.'),
      next_cursor: nextCursor,
    }),
    errors: ['group_not_found'],
    longAnswer: 'pieces',
  },
});
