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
import { t } from '../i18n/translate.ts';

const SHORTEST = 8;

export function Password() {
  const form = useForm({
    initialValues: { current_password: '', new_password: '', keep_api_keys: false },
    validate: {
      current_password: (value) => (value === '' ? t('signIn.passwordMissing') : null),
      new_password: (value) => (value.length < SHORTEST ? t('signUp.passwordShort', { shortest: SHORTEST }) : null),
    },
  });
  const changing = useMutation({
    mutationFn: (values: typeof form.values) => call('user/change_password', values),
    onSuccess: () => {
      form.reset();
      showToast(t('settings.passwordChanged'));
    },
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
  const client = useQueryClient();
  const { leave, isLeaving, question } = useUnsavedChangesGuard(() =>
    signOutEverywhere(client, { keepApiKeys: form.values.keep_api_keys }),
  );
  return (
    <Section title={t('settings.password')}>
      <form onSubmit={form.onSubmit((values) => changing.mutate(values))} noValidate>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <PasswordInput
              label={t('settings.currentPassword')}
              autoComplete="current-password"
              {...form.getInputProps('current_password')}
            />
            <PasswordInput
              label={t('settings.newPassword')}
              autoComplete="new-password"
              {...form.getInputProps('new_password')}
            />
          </SimpleGrid>
          <Text size="sm" c="dimmed">
            {t('settings.passwordNote')}
          </Text>
          <Checkbox label={t('settings.keepKeys')} {...form.getInputProps('keep_api_keys', { type: 'checkbox' })} />
          <FormErrorText error={changing.error} />
          <Group>
            <Button type="submit" loading={changing.isPending}>
              {t('settings.changePassword')}
            </Button>
            <Button variant="default" loading={isLeaving} onClick={leave}>
              {t('settings.signOutEverywhere')}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Section>
  );
}
