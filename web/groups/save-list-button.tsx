import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { GroupList } from '../api/operations.ts';
import { groupListsQuery } from '../api/queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { useMay } from '../api/workspace.ts';
import type { PickedGroup } from '../compose/draft.ts';
import { fieldProblems } from '../format/problem.ts';
import { showToast } from '../parts/notify.ts';
import { DialogFoot } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';

const NAME_LIMIT = 100;

/** Saves the groups as a new list, or as the new content of `list`, for those who may. */
export function SaveListButton({
  groups,
  list,
  onSaved,
  size = 'compact-sm',
}: {
  groups: readonly PickedGroup[];
  list?: GroupList | undefined;
  onSaved?: (listId: number) => void;
  size?: 'compact-sm' | 'xs';
}) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (useMay('manager') === false) return null;
  return (
    <>
      <Button size={size} variant="default" disabled={groups.length === 0} onClick={() => setOpen(true)}>
        {list ? t('groups.saveList') : t('groups.saveAsList')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={list ? t('groups.saveListTitle', { name: list.name }) : t('groups.saveAsListTitle')}
      >
        <SaveForm groups={groups} list={list} close={close} onSaved={onSaved} />
      </Modal>
    </>
  );
}

function SaveForm({
  groups,
  list,
  close,
  onSaved,
}: {
  groups: readonly PickedGroup[];
  list: GroupList | undefined;
  close: () => void;
  onSaved: ((listId: number) => void) | undefined;
}) {
  const client = useQueryClient();
  const [name, setName] = useState(list?.name ?? '');
  const saving = useCancellableMutation({
    act: (_nothing: void, signal) => {
      const group_metadata_ids = groups.map((group) => group.group_metadata_id);
      const body = { name: name.trim(), group_metadata_ids, group_list_id: list?.group_list_id };
      return call('venom/save-group-list', body, { signal });
    },
    onSuccess: async ({ group_list_id: id }) => {
      await client.invalidateQueries({ queryKey: groupListsQuery.queryKey });
      await client.invalidateQueries({ queryKey: ['groups'] });
      showToast(t('groups.listSaved', { name: name.trim(), groups: groups.length }));
      close();
      onSaved?.(id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') saving.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('groups.listHolds', { groups: groups.length })}
        </Text>
        <TextInput
          label={t('groups.listName')}
          placeholder={t('groups.listNameHint')}
          maxLength={NAME_LIMIT}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldProblems(saving.error)['name']}
        />
        <DialogFoot acting={saving} close={close} isReady={name.trim() !== ''} />
      </Stack>
    </form>
  );
}
