import { Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { workspacesQuery } from '../api/workspace.ts';
import { fieldProblems } from '../format/problem.ts';
import { SaveBar, showSaved } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';

export const NAME_LIMIT = 100;

/** The name of the workspace; its owner can change it. */
export function WorkspaceName({ name, isOwner }: { name: string; isOwner: boolean }) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { name } });
  const saving = useMutation({
    mutationFn: (values: { name: string }) => call('workspace/rename-workspace', { name: values.name.trim() }),
    async onSuccess(_renamed, values) {
      form.resetDirty(values);
      await client.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      showSaved();
    },
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <Stack gap="xs">
        <TextInput
          label={t('members.workspaceName')}
          maxLength={NAME_LIMIT}
          readOnly={!isOwner}
          {...form.getInputProps('name')}
        />
        {isOwner && <SaveBar isChanged={form.isDirty()} saving={saving} discard={form.reset} />}
      </Stack>
    </form>
  );
}
