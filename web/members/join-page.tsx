import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { openWorkspace } from '../api/chosen-workspace.ts';
import { forgetInvitation, keptInvitation } from '../api/kept-invitation.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { InvitationCard, invitationQuery } from './invitation.tsx';

/** The page of an invitation to a workspace, for a person who is signed in. */
export default function JoinPage() {
  const [code] = useState(keptInvitation);
  return (
    <Page title={t('accept.title')}>
      {code === undefined ? <Text size="sm">{t('invitation.none')}</Text> : <Join code={code} />}
    </Page>
  );
}

function Join({ code }: { code: string }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const { data } = useQuery(invitationQuery(code));
  const { data: session } = useQuery(sessionQuery);
  const joining = useMutation({
    mutationFn: () => call('workspace/accept-invitation', { code }),
    onSuccess: ({ workspace_id: id }) => {
      forgetInvitation();
      openWorkspace(id);
    },
  });
  const decline = () => {
    forgetInvitation();
    go('/');
  };
  return (
    <Stack gap="sm" align="flex-start">
      <InvitationCard code={code} />
      <ErrorText error={joining.error} />
      {data && (
        <>
          <Text size="sm">
            {t('invitation.signedInAs', { name: session?.user_info.user_name ?? '' })}{' '}
            <Anchor component="button" size="sm" underline="always" onClick={() => void signOut(client)}>
              {t('invitation.otherUser')}
            </Anchor>
          </Text>
          <Group gap="xs">
            <Button loading={joining.isPending} onClick={() => joining.mutate()}>
              {t('members.join')}
            </Button>
            <Button variant="default" onClick={decline}>
              {t('invitation.notNow')}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
