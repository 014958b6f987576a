import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { SignedIn } from '../api/session.ts';
import { sessionQuery } from '../api/session.ts';
import { isNational } from '../format/phone.ts';
import { fieldProblems } from '../format/problem.ts';
import { exactTime } from '../format/time.ts';
import { useNow } from '../parts/relative-time.tsx';
import { PhoneField } from '../parts/phone-field.tsx';
import { Section } from '../parts/page.tsx';
import { SaveBar, showSaved } from '../parts/save-bar.tsx';
import { ZonePicker } from '../parts/zone-picker.tsx';
import { t } from '../i18n/translate.ts';
import { VerifyEmailNotice } from './verify-email.tsx';

export function Profile({ session }: { session: SignedIn }) {
  const client = useQueryClient();
  const { user_info: user } = session;
  const nowMs = useNow();
  const form = useForm({
    initialValues: {
      first_name: user.first_name,
      last_name: user.last_name,
      phone_number: user.phone_number,
      time_zone: session.time_zone,
    },
    validate: {
      phone_number: (number) =>
        isNational(number) && number !== user.phone_number ? t('phoneField.incomplete') : null,
    },
  });
  const saving = useMutation({
    mutationFn: ({ phone_number: phone, ...values }: typeof form.values) =>
      call('user/update_profile', { ...values, ...(phone.trim() !== '' && { phone_number: phone }) }),
    onSuccess: (profile, values) => {
      form.resetDirty(values);
      client.setQueryData(sessionQuery.queryKey, (before) => (before ? { ...before, ...profile } : before));
      showSaved();
    },
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
  return (
    <Section title={t('settings.profile')}>
      <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <TextInput label={t('fields.first_name')} autoComplete="given-name" {...form.getInputProps('first_name')} />
            <TextInput label={t('fields.last_name')} autoComplete="family-name" {...form.getInputProps('last_name')} />
            <PhoneField
              key={user.phone_number}
              known={user.phone_number}
              label={t('fields.phone_number')}
              autoComplete="tel"
              {...form.getInputProps('phone_number')}
            />
            <ZonePicker
              description={exactTime(new Date(nowMs), form.values.time_zone)}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={form.values.time_zone}
              onChange={(zone) => form.setFieldValue('time_zone', zone)}
              error={form.errors.time_zone}
            />
          </SimpleGrid>
          <Text size="sm" c="dimmed">
            {t('settings.signedInAs', { name: user.user_name, email: user.email })}
          </Text>
          {session.email_verified === false && <VerifyEmailNotice />}
          <SaveBar isChanged={form.isDirty()} saving={saving} discard={form.reset} />
        </Stack>
      </form>
    </Section>
  );
}
