import '@mantine/core/styles.layer.css';
import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { endSession, sessionQuery } from '../api/session.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { t } from '../i18n/translate.ts';
import { LoginField } from './login-field.tsx';
import type { MailLinkPath } from './mail-link-paths.ts';
import { SHORTEST_PASSWORD, SignUp } from './sign-up.tsx';

/** The page behind a link in a mail. Its code is in the fragment, which browsers never send to a server. */
export default function MailLinkPage({ path }: { path: MailLinkPath }) {
  const [code] = useState(() => globalThis.location.hash.slice(1));
  if (path === '/forgot-password') return <ForgotPasswordForm />;
  if (code === '') return <Text size="sm">{t('reset.noCode')}</Text>;
  if (path === '/verify-email') return <VerifyEmail code={code} />;
  if (path === '/accept-invite') return <SignUp invitation={{ code }} />;
  return <ResetPasswordForm code={code} />;
}

function ForgotPasswordForm() {
  const [userName, setUserName] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const asking = useMutation({ mutationFn: () => call('user/request_password_reset', { user_name: userName.trim() }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (userName.trim() !== '') asking.mutate();
  };
  if (asking.isSuccess)
    return (
      <Stack gap="sm">
        <Text size="sm" role="status">
          {t('forgot.sent')}
        </Text>
        <SignInLink />
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <LoginField value={userName} change={setUserName} isSubmitted={isSubmitted} />
        <ErrorText error={asking.error} />
        <Button type="submit" loading={asking.isPending} mt="xs">
          {t('forgot.submit')}
        </Button>
        <SignInLink />
      </Stack>
    </form>
  );
}

function ResetPasswordForm({ code }: { code: string }) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const isShort = password.length < SHORTEST_PASSWORD;
  const setting = useMutation({
    mutationFn: () => call('user/reset_password', { code, new_password: password }),
    // A session in this browser has ended, too.
    onSuccess: () => endSession(client),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (!isShort) setting.mutate();
  };
  if (setting.isSuccess)
    return (
      <Stack gap="sm">
        <Text size="sm" role="status">
          {t('reset.done')}
        </Text>
        <Button component={Link} href="/sign-in">
          {t('signIn.title')}
        </Button>
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <PasswordInput
          label={t('settings.newPassword')}
          description={t('signUp.passwordHint', { shortest: SHORTEST_PASSWORD })}
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isSubmitted && isShort && t('signUp.passwordShort', { shortest: SHORTEST_PASSWORD })}
        />
        <ErrorText error={setting.error} />
        <Button type="submit" loading={setting.isPending} mt="xs">
          {t('reset.submit')}
        </Button>
      </Stack>
    </form>
  );
}

/** Needs a click, since mail scanners open links. */
function VerifyEmail({ code }: { code: string }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const verifying = useMutation({
    mutationFn: () => call('user/verify_email', { code }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  if (verifying.isSuccess)
    return (
      <Stack gap="sm">
        <Text size="sm" role="status">
          {t('verify.done')}
        </Text>
        <Button onClick={() => go('/')}>{t('verify.goOn')}</Button>
      </Stack>
    );
  return (
    <Stack gap="sm">
      <ErrorText error={verifying.error} />
      <Button loading={verifying.isPending} onClick={() => verifying.mutate()}>
        {t('verify.submit')}
      </Button>
    </Stack>
  );
}

function SignInLink() {
  return (
    <Anchor component={Link} href="/sign-in" size="sm" ta="center" underline="always">
      {t('forgot.back')}
    </Anchor>
  );
}
