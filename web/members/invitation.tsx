import { Anchor, Button, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { call } from '../api/call.ts';
import { forgetInvitation, keptInvitation } from '../api/kept-invitation.ts';
import { SignUp } from '../auth/sign-up.tsx';
import boxClasses from '../parts/box.module.css';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { PartSkeleton } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';

/** What the code stands for; null: it is not valid any more. */
export const invitationQuery = (code: string) =>
  queryOptions({
    queryKey: ['invitation', code],
    queryFn: async ({ signal }) => {
      try {
        return await call('workspace/get-invitation', { code }, { signal });
      } catch (error) {
        if (!(error instanceof CampanileError && error.status === 400)) throw error;
        if (keptInvitation() === code) forgetInvitation();
        return null;
      }
    },
  });

/** Who invites, to which workspace, as what. `decline` goes on without it. */
export function InvitationCard({ code, decline }: { code: string; decline?: () => void }) {
  const { data, error, refetch } = useQuery(invitationQuery(code));
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />;
  if (data === undefined) return <PartSkeleton height={92} />;
  if (data === null)
    return (
      <Text size="sm" role="status">
        {t('invitation.void')}
      </Text>
    );
  return (
    <div className={boxClasses.inset}>
      <Text fw={600}>{t('invitation.by', { inviter: data.invited_by, workspace: data.workspace_name })}</Text>
      <Text size="sm" mt={4}>
        {t('invitation.role', { role: t(`members.roles.${data.role}`) })} {t(`invitation.youMay.${data.role}`)}
      </Text>
      {decline && (
        <Anchor component="button" type="button" size="sm" underline="always" mt={4} onClick={decline}>
          {t('invitation.notNow')}
        </Anchor>
      )}
    </div>
  );
}

/** For a visitor: the invitation, and the choice between a new user and one that exists. */
export function InvitationChoice({ code, decline }: { code: string | undefined; decline: () => void }) {
  const [, go] = useLocation();
  const { data } = useQuery({ ...invitationQuery(code ?? ''), enabled: code !== undefined });
  const leave = () => {
    decline();
    go('/sign-in');
  };
  return (
    <Stack gap="sm">
      {code === undefined ? (
        <Text size="sm">{t('invitation.none')}</Text>
      ) : (
        <InvitationCard code={code} decline={leave} />
      )}
      {data && (
        <Button component={Link} href="/sign-up">
          {t('signUp.title')}
        </Button>
      )}
      <Button component={Link} href="/sign-in" variant="default">
        {data ? t('invitation.haveUser') : t('signIn.title')}
      </Button>
    </Stack>
  );
}

/** The sign-up form under the invitation. Without a valid one it is the form for everybody. */
export function InvitedSignUp({ code, decline }: { code: string; decline: () => void }) {
  const { data } = useQuery(invitationQuery(code));
  return (
    <Stack gap="md">
      <InvitationCard code={code} decline={decline} />
      {data === null && <SignUp />}
      {data && <SignUp invitation={{ code, email: data.email }} />}
    </Stack>
  );
}
