/** The wire of saved lists of groups (contract §4). */
import { z } from 'zod';
import { groupMetadataIds, optional, text } from './fields.ts';

export const groupListId = z.int({
  error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number'),
});

export const saveGroupListBody = z
  .object({
    name: text(1, 100).meta({ examples: ['Village groups'] }),
    group_metadata_ids: groupMetadataIds,
    group_list_id: optional(groupListId).meta({ description: 'The list to overwrite; a new one unless given.' }),
  })
  .meta({ id: 'SaveGroupList' });
export const saveGroupListData = z.object({ group_list_id: z.number().int() });

export const listGroupListsData = z.object({
  group_lists: z.array(
    z.object({
      group_list_id: z.number().int(),
      name: z.string(),
      group_count: z.number().int().meta({ description: 'Of those that are there at the messaging application.' }),
    }),
  ),
});

export const groupListBody = z.object({ group_list_id: groupListId });
