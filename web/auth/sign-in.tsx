import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { pathAfterSignIn } from '../api/kept-invitation.ts';
import { hasPasskeys, signInWithPasskey } from '../api/passkey.ts';
import { signIn } from '../api/session.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { t } from '../i18n/translate.ts';
import { LoginField } from './login-field.tsx';

export function SignIn() {
  const client = useQueryClient();
  const [path, go] = useLocation();
  // Without a form library, to keep the first visit small on slow connections.
  const [userName, setUserName] = useState('');
  const [password, setPassword] = useState('');
  // Set once the service has asked for the second factor.
  const [code, setCode] = useState<string>();
  const [isSubmitted, setSubmitted] = useState(false);
  const passwordMissing = isSubmitted && password === '' && t('signIn.passwordMissing');
  const enter = () => {
    if (path === '/sign-in' || path === '/sign-up') go(pathAfterSignIn(), { replace: true });
  };
  const entering = useMutation({
    mutationFn: (_step: 'with code' | 'without') =>
      signIn(client, userName.trim(), password, code === '' ? undefined : code),
    onError: (error) => {
      if (asksForCode(error)) setCode('');
    },
    onSuccess: enter,
  });
  const byPasskey = useMutation({ mutationFn: () => signInWithPasskey(client), onSuccess: enter });
  const hasWrongCode = asksForCode(entering.error) && entering.variables === 'with code';
  const isWrong =
    !asksForCode(entering.error) && entering.error instanceof CampanileError && entering.error.status === 401;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (userName.trim() !== '' && password !== '') entering.mutate(code ? 'with code' : 'without');
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <LoginField value={userName} change={setUserName} isSubmitted={isSubmitted} />
        <PasswordInput
          label={t('signIn.password')}
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isWrong ? t('signIn.wrong') : passwordMissing}
        />
        {code !== undefined && <CodeField code={code} change={setCode} isWrong={hasWrongCode} />}
        {!isWrong && !asksForCode(entering.error) && <ErrorText error={byPasskey.error ?? entering.error} />}
        <Button type="submit" loading={entering.isPending} mt="xs">
          {t('signIn.submit')}
        </Button>
        {hasPasskeys() && <PasskeyButton {...byPasskey} />}
        <Anchor component={Link} href="/forgot-password" size="sm" ta="center" underline="always">
          {t('forgot.ask')}
        </Anchor>
      </Stack>
    </form>
  );
}

/** Appears after the password was accepted, and takes the focus. */
function CodeField({ code, change, isWrong }: { code: string; change: (code: string) => void; isWrong: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <TextInput
      ref={field}
      label={t('factors.code')}
      description={t('factors.codeHint')}
      autoComplete="one-time-code"
      required
      value={code}
      onChange={(event) => change(event.currentTarget.value)}
      error={isWrong && t('factors.wrongCode')}
    />
  );
}

function PasskeyButton({ isPending, mutate }: { isPending: boolean; mutate: () => void }) {
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      {t('factors.byPasskey')}
    </Button>
  );
}

/** The password was right and the service asks for the second factor. */
function asksForCode(error: unknown): boolean {
  return error instanceof CampanileError && error.status === 401 && error.details[0]?.field === 'code';
}
