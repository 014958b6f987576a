import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { ReportLink } from '../api/operations.ts';
import { dateName, shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { notifyError, showToast } from '../parts/notify.ts';
import { personName } from '../format/person-name.ts';
import { t } from '../i18n/translate.ts';
import type { Selection } from './report-spans.ts';
import classes from './report.module.css';

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
          <>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <TextInput
                label={t('report.link')}
                description={t('report.linkOnce', { when: shortTime(creating.data.expires_at, zone) })}
                value={`${window.location.origin}${creating.data.path}`}
                readOnly
                flex={1}
                onFocus={({ currentTarget }) => currentTarget.select()}
              />
              <CopyButton value={`${window.location.origin}${creating.data.path}`} />
            </Group>
          </>
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
  const links = useQuery({
    queryKey: LINKS,
    queryFn: ({ signal }) => call('analytics/list-report-links', {}, { signal }),
  }).data?.links;
  if (!links || links.length === 0) return null;
  return (
    <section aria-label={t('report.links')}>
      <Text fw={600} size="sm">
        {t('report.links')}
      </Text>
      <ul className={classes.links}>
        {links.map((link) => (
          <LinkRow key={link.report_link_id} link={link} />
        ))}
      </ul>
    </section>
  );
}

function LinkRow({ link }: { link: ReportLink }) {
  const client = useQueryClient();
  const zone = useZone();
  const revoking = useMutation({
    mutationFn: () => call('analytics/revoke-report-link', { report_link_id: link.report_link_id }),
    onSuccess: () => {
      showToast(t('report.revoked'));
      return client.invalidateQueries({ queryKey: LINKS });
    },
    onError: notifyError,
  });
  const span = `${dateName(link.start_date)} – ${dateName(link.end_date)}`;
  const about = link.campaign?.name ?? link.group_list_name;
  const name = about === null ? span : `${about}, ${span}`;
  return (
    <li>
      <span dir="auto">
        {name}
        <Text size="xs" c="dimmed">
          {link.created_by && `${t('report.madeBy', { name: personName(link.created_by) })} · `}
          {t('report.expires', { when: shortTime(link.expires_at, zone) })}
        </Text>
      </span>
      <Button
        size="xs"
        variant="default"
        aria-label={t('report.revokeOf', { name })}
        loading={revoking.isPending}
        onClick={() => revoking.mutate()}
      >
        {t('report.revoke')}
      </Button>
    </li>
  );
}
