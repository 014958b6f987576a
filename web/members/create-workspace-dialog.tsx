import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import { openWorkspace } from '../api/chosen-workspace.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { fieldProblems } from '../format/problem.ts';
import { DialogFoot } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';
import { NAME_LIMIT } from './workspace-name.tsx';

/** Creates a workspace of one's own, and opens it. */
export default function CreateWorkspaceDialog({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const creating = useCancellableMutation({
    act: (wanted: string, signal) => call('workspace/create-workspace', { name: wanted }, { signal }),
    onSuccess: ({ workspace_id: id }) => openWorkspace(id),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') creating.mutate(name.trim());
  };
  return (
    <Modal opened onClose={close} title={t('members.newWorkspace')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm">{t('members.newWorkspaceNote')}</Text>
          <TextInput
            label={t('members.workspaceName')}
            data-autofocus
            required
            value={name}
            maxLength={NAME_LIMIT}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldProblems(creating.error)['name']}
          />
          <DialogFoot
            acting={creating}
            close={close}
            action={t('members.createWorkspace')}
            isReady={name.trim() !== ''}
          />
        </Stack>
      </form>
    </Modal>
  );
}
