import '@mantine/core/styles.layer.css';
import { Button, PasswordInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { forgetInvitation, keptInvitation } from '../api/kept-invitation.ts';
import type { Body } from '../api/operations.ts';
import { signIn } from '../api/session.ts';
import { signUpBody } from '../api/user.ts';
import { isNational } from '../format/phone.ts';
import { fieldProblems } from '../format/problem.ts';
import { browserZone } from '../format/time.ts';
import { FormErrorText, ErrorText } from '../parts/error-alert.tsx';
import { PhoneField } from '../parts/phone-field.tsx';
import { t } from '../i18n/translate.ts';

export const SHORTEST_PASSWORD = 8;
const filled = (value: string) => (value.trim() === '' ? t('signUp.missing') : null);
const whole = (number: string) => (isNational(number) ? t('phoneField.incomplete') : null);

/** An invitation to a workspace has `email`: whom it names. One of an administrator fixes the address. */
interface Invitation {
  code: string;
  email?: string | null;
}

/** The sign-up form. Who is invited enters no number: it is needed only to link WhatsApp. */
export function SignUp({ invitation }: { invitation?: Invitation }) {
  const form = useSignUpForm(invitation);
  const entering = useSignUp(form, invitation);
  return (
    <form onSubmit={form.onSubmit((values) => entering.mutate(values))} noValidate>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label={t('fields.first_name')}
            autoComplete="given-name"
            required
            {...form.getInputProps('first_name')}
          />
          <TextInput label={t('fields.last_name')} autoComplete="family-name" {...form.getInputProps('last_name')} />
        </SimpleGrid>
        <TextInput
          label={t('fields.user_name')}
          description={t('signUp.userNameHint')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.getInputProps('user_name')}
        />
        {asksForEmail(invitation) && (
          <TextInput
            label={t('fields.email')}
            type="email"
            autoComplete="email"
            required
            {...form.getInputProps('email')}
          />
        )}
        {!invitation && (
          <>
            <PhoneField
              label={t('fields.phone_number')}
              autoComplete="tel"
              placeholder={t('signUp.phonePlaceholder')}
              required
              {...form.getInputProps('phone_number')}
            />
            <PhoneField
              label={t('fields.whatsapp_number')}
              placeholder={t('signUp.whatsappPlaceholder')}
              {...form.getInputProps('whatsapp_number')}
            />
          </>
        )}
        <PasswordInput
          label={t('fields.password')}
          description={t('signUp.passwordHint', { shortest: SHORTEST_PASSWORD })}
          autoComplete="new-password"
          required
          {...form.getInputProps('password')}
        />
        {'code' in form.errors ? <ErrorText error={entering.error} /> : <FormErrorText error={entering.error} />}
        <Button type="submit" loading={entering.isPending} mt="xs">
          {t('signUp.submit')}
        </Button>
      </Stack>
    </form>
  );
}

function asksForEmail(invitation: Invitation | undefined): boolean {
  return invitation === undefined || invitation.email !== undefined;
}

function useSignUpForm(invitation: Invitation | undefined) {
  const hasEmail = asksForEmail(invitation);
  return useForm({
    initialValues: {
      first_name: '',
      last_name: '',
      user_name: '',
      email: invitation?.email ?? '',
      phone_number: '',
      whatsapp_number: '',
      password: '',
    },
    validate: {
      first_name: filled,
      user_name: filled,
      email: (value) => (!hasEmail || /^[^\s@]+@[^\s@]+$/.test(value.trim()) ? null : t('signUp.emailMissing')),
      phone_number: (number) => (invitation ? null : (filled(number) ?? whole(number))),
      whatsapp_number: whole,
      password: (value) =>
        value.length < SHORTEST_PASSWORD ? t('signUp.passwordShort', { shortest: SHORTEST_PASSWORD }) : null,
    },
  });
}

/** Signs up, signs in, and takes over the browser's time zone. */
function useSignUp(form: ReturnType<typeof useSignUpForm>, invitation: Invitation | undefined) {
  const client = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: async (values: typeof form.values) => {
      if (invitation) await acceptInvite(values, invitation);
      else await call('user/create_user', signUpBody(values));
      await signIn(client, values.user_name, values.password);
    },
    onSuccess: async () => {
      go('/', { replace: true });
      // The user is signed in; a zone that could not be stored is shown in Settings.
      await call('user/update_profile', { time_zone: browserZone() }).then(
        () => client.invalidateQueries({ queryKey: ['session'] }),
        () => {},
      );
    },
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
}

async function acceptInvite(
  { phone_number: _phone, whatsapp_number: _whatsapp, email, ...person }: Body<'user/create_user'>,
  { code }: Invitation,
): Promise<void> {
  await call('user/accept_invite', { ...person, ...(email.trim() !== '' && { email }), code });
  if (keptInvitation() === code) forgetInvitation();
}
