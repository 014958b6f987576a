import { Anchor, Box, Center, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { forgetInvitation, keptInvitation } from '../api/kept-invitation.ts';
import { sessionExpiredQuery } from '../api/session.ts';
import boxClasses from '../parts/box.module.css';
import { Callout } from '../parts/callout.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { PartSkeleton } from '../parts/page.tsx';
import { PRODUCT } from '../parts/product.ts';
import { loadWithMessages } from '../i18n/languages.ts';
import { t } from '../i18n/translate.ts';
import { Goodbye } from './goodbye.tsx';
import { isMailLinkPath, MAIL_LINK_PAGES } from './mail-link-paths.ts';
import { SignIn } from './sign-in.tsx';

const MailLinkPage = lazy(lazyWithRetry(() => loadWithMessages(() => import('./mail-link-page.tsx'))));
const SignUp = lazy(
  lazyWithRetry(async () => ({ default: (await loadWithMessages(() => import('./sign-up.tsx'))).SignUp })),
);
const loadInvitation = () => loadWithMessages(() => import('../members/invitation.tsx'));
const InvitationCard = lazy(lazyWithRetry(async () => ({ default: (await loadInvitation()).InvitationCard })));
const InvitationChoice = lazy(lazyWithRetry(async () => ({ default: (await loadInvitation()).InvitationChoice })));
const InvitedSignUp = lazy(lazyWithRetry(async () => ({ default: (await loadInvitation()).InvitedSignUp })));

/** The pages without a session: sign-in (at any address), sign-up, invitations, links from mails, and goodbye. */
export function AuthPages() {
  const [path] = useLocation();
  // An invitation that turns out to be void stays on the page that says so.
  const [code, setCode] = useState(keptInvitation);
  const decline = () => {
    forgetInvitation();
    setCode(undefined);
  };
  if (path === '/goodbye')
    return (
      <AuthPage title={t('goodbye.title')}>
        <Goodbye />
      </AuthPage>
    );
  if (isMailLinkPath(path))
    return (
      <AuthPage title={t(`${MAIL_LINK_PAGES[path]}.title`)} lead={t(`${MAIL_LINK_PAGES[path]}.lead`)}>
        <Suspense fallback={<PartSkeleton height={200} />}>
          <MailLinkPage key={path} path={path} />
        </Suspense>
      </AuthPage>
    );
  if (path === '/join')
    return (
      <AuthPage title={t('accept.title')}>
        <Suspense fallback={<PartSkeleton height={200} />}>
          <InvitationChoice code={code} decline={decline} />
        </Suspense>
      </AuthPage>
    );
  if (path === '/sign-up') return <SignInOrUp isNew code={code} decline={decline} />;
  return <SignInOrUp code={path === '/sign-in' ? code : undefined} decline={decline} />;
}

function SignInOrUp({
  isNew = false,
  code,
  decline,
}: {
  isNew?: boolean;
  code: string | undefined;
  decline: () => void;
}) {
  const { data: hasEnded } = useQuery(sessionExpiredQuery);
  const page = isNew ? 'signUp' : 'signIn';
  return (
    <AuthPage title={t(`${page}.title`)} {...(code === undefined && { lead: t(`${page}.lead`) })}>
      {hasEnded && !isNew && <Callout role="status">{t('signIn.ended')}</Callout>}
      {isNew ? (
        <Suspense fallback={<PartSkeleton height={420} />}>
          {code === undefined ? <SignUp /> : <InvitedSignUp code={code} decline={decline} />}
        </Suspense>
      ) : (
        <>
          {code !== undefined && (
            <Suspense fallback={<PartSkeleton height={92} />}>
              <InvitationCard code={code} decline={decline} />
            </Suspense>
          )}
          <SignIn />
        </>
      )}
      <Text size="sm" ta="center">
        {t(`${page}.other`)}{' '}
        <Anchor component={Link} href={isNew ? '/sign-in' : '/sign-up'} size="sm" underline="always">
          {isNew ? t('signIn.title') : t('signUp.title')}
        </Anchor>
      </Text>
    </AuthPage>
  );
}

function AuthPage({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`;
  }, [title]);
  return (
    <Center component="main" mih="calc(100dvh - var(--above, 0px))" px="md" py={24}>
      <Box w="min(460px, 100%)" p="xl" className={boxClasses.surface}>
        <Stack gap="md">
          <div>
            <Text size="sm" fw={600} c="var(--accent-text)">
              {PRODUCT}
            </Text>
            <Title order={1} size="h3">
              {title}
            </Title>
            {lead !== undefined && (
              <Text size="sm" c="dimmed" mt={4}>
                {lead}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </Box>
    </Center>
  );
}
