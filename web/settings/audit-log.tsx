import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import { cursorPaging } from '../api/cursor-paging.ts';
import { DataTable } from '../parts/data-table.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import textClasses from '../parts/text.module.css';
import { findMessage, t } from '../i18n/translate.ts';

const PAGE = 20;

/** The user's audit log, newest first. */
export function AuditLog() {
  const log = useInfiniteQuery({
    queryKey: ['audit-log'],
    queryFn: ({ pageParam, signal }) => call('user/list_audit_log', { limit: PAGE, cursor: pageParam }, { signal }),
    ...cursorPaging,
  });
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Section title={t('settings.auditLog')}>
      <Text size="sm" c="dimmed" mb="xs">
        {t('settings.auditNote')}
      </Text>
      <QueryStatus of={log} rows={4} />
      {entries.length > 0 && (
        <DataTable
          label={t('settings.auditLog')}
          rows={entries}
          rowKey={(_entry, index) => index}
          columns={[
            { header: t('settings.what'), renderCell: ({ action }) => actionName(action) },
            { header: t('settings.when'), nowrap: true, renderCell: ({ at }) => <RelativeTime at={at} /> },
            {
              header: t('settings.towards'),
              cellProps: { className: textClasses.clip, maw: 300 },
              renderCell: (entry) => <Subject entry={entry} />,
            },
            { header: t('settings.from'), renderCell: ({ address }) => address },
          ]}
        />
      )}
      <LoadMoreButton of={log} size="xs" mt="sm" />
    </Section>
  );
}

/** A service that is newer than this page may record more actions. */
function actionName(action: string): string {
  return findMessage(`audit.${action}`) ?? action.replaceAll(/[._]/g, ' ');
}

/** The subject of an entry; an existing campaign is a link. */
function Subject({
  entry: { action, subject, campaign_name: name },
}: {
  entry: { action: string; subject: string; campaign_name?: string | undefined };
}) {
  if (!action.startsWith('campaign.')) return subject;
  if (name === undefined) return t('settings.goneCampaign');
  return (
    <Anchor component={Link} href={`/campaigns/${subject}`} size="sm" underline="always" title={name}>
      {name}
    </Anchor>
  );
}
