import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import { workspacesQuery } from '../api/workspace.ts';
import { fieldProblems } from '../format/problem.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';

export const NAME_LIMIT = 100;

/** The name of the workspace; its owner can change it. */
export function WorkspaceName({ name, isOwner }: { name: string; isOwner: boolean }) {
  const client = useQueryClient();
  const [value, setValue] = useState(name);
  const renaming = useMutation({
    mutationFn: () => call('workspace/rename-workspace', { name: value.trim() }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      showToast(t('members.renamed'));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renaming.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={t('members.workspaceName')}
          value={value}
          maxLength={NAME_LIMIT}
          readOnly={!isOwner}
          onChange={(event) => setValue(event.currentTarget.value)}
          error={fieldProblems(renaming.error)['name']}
        />
        {isOwner && (
          <Button type="submit" variant="default" loading={renaming.isPending} disabled={value.trim() === name}>
            {t('members.rename')}
          </Button>
        )}
      </Group>
      <FormErrorText error={renaming.error} />
    </form>
  );
}
