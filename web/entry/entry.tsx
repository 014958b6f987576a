import { Anchor, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { wasSignedInQuery } from '../api/session.ts';
import { Note } from '../parts/note.tsx';
import { words } from '../words/words.ts';
import { SignIn } from './sign-in.tsx';
import { SignUp } from './sign-up.tsx';

/** The way in: signing in, at any address, or signing up. */
export function Entry() {
  const [path] = useLocation();
  const isNew = path === '/sign-up';
  const { data: hasEnded } = useQuery(wasSignedInQuery);
  const title = isNew ? words.signUp.title : words.signIn.title;
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  return (
    <Center component="main" mih="100dvh" px="md" py={24}>
      <Paper w="min(460px, 100%)" withBorder p="xl">
        <Stack gap="md">
          <div>
            <Text size="sm" fw={600} c="var(--accent-text)">
              {words.product}
            </Text>
            <Title order={1} size="h3">
              {title}
            </Title>
            <Text size="sm" c="dimmed" mt={4}>
              {isNew ? words.signUp.lead : words.signIn.lead}
            </Text>
          </div>
          {hasEnded && !isNew && <Note role="status">{words.signIn.ended}</Note>}
          {isNew ? <SignUp /> : <SignIn />}
          <Text size="sm" ta="center">
            {isNew ? words.signUp.other : words.signIn.other}{' '}
            <Anchor component={Link} href={isNew ? '/sign-in' : '/sign-up'} size="sm" underline="always">
              {isNew ? words.signIn.title : words.signUp.title}
            </Anchor>
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}
