import { Button, Checkbox, Group, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { signOutEverywhere } from '../api/session.ts';
import { useUnsavedChangesGuard } from '../drafts/use-unsaved-changes-guard.tsx';
import { fieldProblems } from '../format/problem.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { showToast } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';

const SHORTEST = 8;

export function Password() {
  const form = useForm({
    initialValues: { current_password: '', new_password: '', keep_api_keys: false },
    validate: {
      current_password: (value) => (value === '' ? words.signIn.passwordMissing : null),
      new_password: (value) => (value.length < SHORTEST ? words.signUp.passwordShort(SHORTEST) : null),
    },
  });
  const changing = useMutation({
    mutationFn: (values: typeof form.values) => call('user/change_password', values),
    onSuccess: () => {
      form.reset();
      showToast(words.settings.passwordChanged);
    },
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
  const client = useQueryClient();
  const { leave, isLeaving, question } = useUnsavedChangesGuard(() =>
    signOutEverywhere(client, { keepApiKeys: form.values.keep_api_keys }),
  );
  return (
    <Section title={words.settings.password}>
      <form onSubmit={form.onSubmit((values) => changing.mutate(values))} noValidate>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <PasswordInput
              label={words.settings.currentPassword}
              autoComplete="current-password"
              {...form.getInputProps('current_password')}
            />
            <PasswordInput
              label={words.settings.newPassword}
              autoComplete="new-password"
              {...form.getInputProps('new_password')}
            />
          </SimpleGrid>
          <Text size="sm" c="dimmed">
            {words.settings.passwordNote}
          </Text>
          <Checkbox label={words.settings.keepKeys} {...form.getInputProps('keep_api_keys', { type: 'checkbox' })} />
          <FormErrorText error={changing.error} />
          <Group>
            <Button type="submit" loading={changing.isPending}>
              {words.settings.changePassword}
            </Button>
            <Button variant="default" loading={isLeaving} onClick={leave}>
              {words.settings.signOutEverywhere}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Section>
  );
}
