import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { fetchAllGroups } from '../../api/queries.ts';
import type { Data } from '../../api/operations.ts';

export type GroupField = Data<'venom/list-fields'>['fields'][number];
export type FieldKind = GroupField['kind'];
export type SheetGroup = Awaited<ReturnType<typeof fetchAllGroups>>[number];
export type ImportReport = Data<'venom/import-group-fields'>;

/** What the menu of a field opens. */
export type FieldAction = { rename: GroupField } | { remove: GroupField };

export const FIELD_KINDS: readonly FieldKind[] = ['text', 'number', 'date', 'link', 'language', 'tags'];

export const fieldsQuery = queryOptions({
  queryKey: ['fields'],
  queryFn: async ({ signal }) => (await call('venom/list-fields', {}, { signal })).fields,
});

/** All groups with their values. */
export const sheetQuery = queryOptions({
  queryKey: ['groups', 'fields'],
  queryFn: async () => {
    const groups = await fetchAllGroups({ kind: undefined, search: '' }, { withFields: true });
    return groups.toSorted((one, other) => one.group_name.localeCompare(other.group_name));
  },
});
