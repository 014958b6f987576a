import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { openWorkspace } from '../api/chosen-workspace.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { Page, Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';

/** The page behind an invitation to a workspace. Its code is in the fragment, which browsers never send to a server. */
export default function JoinPage() {
  const [code] = useState(() => globalThis.location.hash.slice(1));
  const joining = useMutation({
    mutationFn: () => call('workspace/accept-invitation', { code }),
    onSuccess: ({ workspace_id: id }) => openWorkspace(id),
  });
  return (
    <Page title={t('members.joinTitle')}>
      <Section title={t('members.joinTitle')}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{code === '' ? t('reset.noCode') : t('members.joinNote')}</Text>
          <ErrorText error={joining.error} />
          {code !== '' && (
            <Button loading={joining.isPending} onClick={() => joining.mutate()}>
              {t('members.join')}
            </Button>
          )}
        </Stack>
      </Section>
    </Page>
  );
}
