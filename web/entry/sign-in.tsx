import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { CampanileError } from '../../client/failure.ts';
import { signIn } from '../api/session.ts';
import { Problem } from '../parts/failed.tsx';
import { words } from '../words/words.ts';

export function SignIn() {
  const client = useQueryClient();
  const [path, go] = useLocation();
  const form = useForm({
    initialValues: { userName: '', password: '' },
    validate: {
      userName: (value) => (value.trim() === '' ? words.signIn.nameMissing : null),
      password: (value) => (value === '' ? words.signIn.passwordMissing : null),
    },
  });
  const entering = useMutation({
    mutationFn: ({ userName, password }: typeof form.values) => signIn(client, userName.trim(), password),
    onSuccess: () => {
      if (path === '/sign-in' || path === '/sign-up') go('/', { replace: true });
    },
  });
  const isWrong = entering.error instanceof CampanileError && entering.error.code === 401;
  return (
    <form onSubmit={form.onSubmit((values) => entering.mutate(values))} noValidate>
      <Stack gap="sm">
        <TextInput
          label={words.signIn.name}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.getInputProps('userName')}
        />
        <PasswordInput
          label={words.signIn.password}
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
          error={isWrong ? words.signIn.wrong : form.errors['password']}
        />
        {!isWrong && <Problem error={entering.error} />}
        <Button type="submit" loading={entering.isPending} mt="xs">
          {words.signIn.submit}
        </Button>
      </Stack>
    </form>
  );
}
