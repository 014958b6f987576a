/** Saved lists of groups (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import {
  changedOwnData,
  count,
  groupMetadataIds,
  label,
  listedOwnData,
  named,
  objects,
  optional,
  ownDataFilter,
} from './fields.ts';
import { groupRule } from './group-rules.ts';

export const groupListId = z.int({
  error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number'),
});

export const groupLists = defineOperations('Groups', {
  saveGroupList: {
    path: '/api/v1/venom/save-group-list',
    access: 'write',
    role: 'manager',
    summary: 'Create or replace a group list',
    description:
      'Of these groups, or of those that meet a rule whenever it is used. Limited to 500 lists. A list that is replaced keeps the `external_id` and `metadata` that are left out.',
    body: named('SaveGroupList', {
      name: label(100).meta({ examples: ['Village groups'] }),
      group_metadata_ids: optional(groupMetadataIds),
      rule: optional(groupRule),
      group_list_id: optional(groupListId).describe('The list to replace. Omit it to create a list.'),
      ...changedOwnData,
    }),
    data: z.object({ group_list_id: count }),
    errors: ['group_not_found', 'group_list_not_found', 'group_list_limit_reached', 'external_id_taken'],
  },
  listGroupLists: {
    path: '/api/v1/venom/list-group-lists',
    access: 'read',
    summary: 'List your group lists',
    description: 'Sorted by name. For the groups of a list, call `list-groups` and filter by `group_list_id`.',
    body: z.object(ownDataFilter),
    data: z.object({
      group_lists: objects({
        group_list_id: count,
        name: z.string(),
        ...listedOwnData,
        group_count: count.describe('Without groups that no longer exist.'),
        rule: groupRule.optional().describe('Absent: its groups were picked.'),
      }),
    }),
  },
  deleteGroupList: {
    path: '/api/v1/venom/delete-group-list',
    access: 'write',
    role: 'manager',
    summary: 'Delete a group list',
    description:
      'The groups themselves stay, and so do those of campaigns that go to the list. Its rule on senders goes with it; the audit log keeps the rule.',
    body: z.object({ group_list_id: groupListId }),
    errors: ['group_list_not_found'],
  },
});
