import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { ReportLink } from '../api/operations.ts';
import { dateName, shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { NewLink, WorkingLinks } from '../parts/secret-links.tsx';
import { personName } from '../format/person-name.ts';
import { t } from '../i18n/translate.ts';
import type { Selection } from './report-spans.ts';

const DAYS = ['7', '30', '90'];

/** Creates a link to the report that is shown, and revokes earlier ones. */
export default function ShareDialog({ selection, close }: { selection: Selection; close: () => void }) {
  const client = useQueryClient();
  const [days, setDays] = useState('30');
  const creating = useMutation({
    mutationFn: () => call('analytics/share-report', { ...selection, expires_in_days: Number(days) }),
    onSuccess: () => client.invalidateQueries({ queryKey: LINKS }),
  });
  const zone = useZone();
  return (
    <Modal opened onClose={close} title={t('report.share')} size="lg">
      <Stack gap="md">
        <Text size="sm">{t('report.shareNote')}</Text>
        {creating.data ? (
          <NewLink
            path={creating.data.path}
            description={t('report.linkOnce', { when: shortTime(creating.data.expires_at, zone) })}
          />
        ) : (
          <Group gap="xs" align="flex-end">
            <NativeSelect
              label={t('report.validFor')}
              value={days}
              onChange={({ currentTarget }) => setDays(currentTarget.value)}
              data={DAYS.map((value) => ({ value, label: t('overview.days', { days: value }) }))}
            />
            <Button loading={creating.isPending} onClick={() => creating.mutate()} data-autofocus>
              {t('report.createLink')}
            </Button>
          </Group>
        )}
        <ErrorText error={creating.error} />
        <Links />
      </Stack>
    </Modal>
  );
}

const LINKS = ['report-links'];

function Links() {
  const zone = useZone();
  const { data } = useQuery({
    queryKey: LINKS,
    queryFn: ({ signal }) => call('analytics/list-report-links', {}, { signal }),
  });
  const links = data?.links.map((link) => ({
    id: link.report_link_id,
    name: nameOf(link),
    about: [
      ...(link.created_by ? [t('report.madeBy', { name: personName(link.created_by) })] : []),
      t('report.expires', { when: shortTime(link.expires_at, zone) }),
    ].join(' · '),
    revoke: () => call('analytics/revoke-report-link', { report_link_id: link.report_link_id }),
  }));
  return <WorkingLinks links={links} queryKey={LINKS} />;
}

function nameOf(link: ReportLink): string {
  const span = `${dateName(link.start_date)} – ${dateName(link.end_date)}`;
  const about = link.campaign?.name ?? link.group_list_name ?? link.tag;
  return about === null ? span : `${about}, ${span}`;
}
