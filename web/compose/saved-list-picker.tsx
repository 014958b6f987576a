import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Group, GroupList } from '../api/operations.ts';
import { groupListsQuery } from '../api/queries.ts';
import { count } from '../format/numbers.ts';
import { fetchListGroups } from '../groups/use-saved-lists.ts';
import { Icon } from '../parts/icons.tsx';
import { showToast, notifyError } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';

/** Adds a saved list. */
export function SavedListPicker({ onPick }: { onPick: (list: GroupList, groups: readonly Group[]) => void }) {
  const lists = useQuery(groupListsQuery);
  const picking = useMutation({
    mutationFn: (list: GroupList) => fetchListGroups(list.group_list_id),
    onSuccess: (groups, list) => {
      onPick(list, groups);
      showToast(t('compose.listAdded', { name: list.name, groups: groups.length }));
    },
    onError: notifyError,
  });
  const found = lists.data?.group_lists ?? [];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          loading={picking.isPending}
          leftSection={<Icon name="list" size={14} />}
          rightSection={<Icon name="down" size={14} />}
        >
          {t('compose.lists')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Menu.Label>{found.length === 0 ? t('compose.noLists') : t('compose.listLabel')}</Menu.Label>
        {found.map((list) => (
          <Menu.Item key={list.group_list_id} onClick={() => picking.mutate(list)}>
            {t('compose.listEntry', { name: list.name, groups: count(list.group_count) })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
