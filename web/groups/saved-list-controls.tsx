import { Button, Group as Row, Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { GroupList } from '../api/operations.ts';
import { groupListsQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { count } from '../format/numbers.ts';
import { RuleListButton } from './rule-list-button.tsx';
import { ListSenders } from '../senders/list-senders.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';

/** Shows only the groups of one saved list. */
export function SavedListFilter({
  lists,
  chosen,
  choose,
}: {
  lists: readonly GroupList[];
  chosen: GroupList | undefined;
  choose: (listId: number | undefined) => void;
}) {
  if (lists.length === 0) return null;
  return (
    <Select
      aria-label={t('groups.list')}
      placeholder={t('groups.lists')}
      data={lists.map((list) => ({
        value: String(list.group_list_id),
        label: t('groups.ofList', { name: list.name, groups: count(list.group_count) }),
      }))}
      value={chosen ? String(chosen.group_list_id) : null}
      onChange={(id) => choose(id === null ? undefined : Number(id))}
      clearable
      clearButtonProps={{ 'aria-label': t('groups.allGroups') }}
      searchable={lists.length > 10}
      w={200}
    />
  );
}

/** Actions on the list that is shown. */
export function SavedListActions({
  list,
  write,
  change,
  onDeleted,
}: {
  list: GroupList;
  write: () => Promise<void>;
  change: () => Promise<void>;
  onDeleted: () => void;
}) {
  const client = useQueryClient();
  const writing = useMutation({ mutationFn: write });
  const changing = useMutation({ mutationFn: change });
  const [mayWrite, maySave] = [useMay('author') !== false, useMay('manager') !== false];
  const remove = async (signal: AbortSignal) => {
    await call('venom/delete-group-list', { group_list_id: list.group_list_id }, { signal });
    showToast(t('groups.listDeleted', { name: list.name }));
    onDeleted();
    await client.invalidateQueries({ queryKey: groupListsQuery.queryKey });
  };
  return (
    <Row gap="xs" mb="md" role="group" aria-label={list.name}>
      {mayWrite && (
        <Button size="xs" loading={writing.isPending} onClick={() => writing.mutate()}>
          {t('groups.writeToList')}
        </Button>
      )}
      {maySave && (
        <>
          {list.rule ? (
            <RuleListButton list={list} label={t('groups.changeList')} />
          ) : (
            <Button size="xs" variant="default" loading={changing.isPending} onClick={() => changing.mutate()}>
              {t('groups.changeList')}
            </Button>
          )}
          <ListSenders list={list} />
          <ConfirmButton
            size="xs"
            title={t('groups.deleteListTitle', { name: list.name })}
            action={t('groups.deleteList')}
            act={remove}
            danger
          >
            {t('groups.deleteListNote')}
          </ConfirmButton>
        </>
      )}
    </Row>
  );
}
