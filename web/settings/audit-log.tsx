import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import { cursorPaging } from '../api/cursor-paging.ts';
import type { Data } from '../api/operations.ts';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { findMessage, t } from '../i18n/translate.ts';

const PAGE = 20;

type Entry = Data<'user/list_audit_log'>['entries'][number];

/** The audit log of the workspace, newest first. */
export function AuditLog() {
  return <Log path="user/list_audit_log" title={t('settings.auditLog')} note={t('settings.auditNote')} withPeople />;
}

/** The sign-ins of the user and the changes of their account, newest first. */
export function SecurityLog() {
  return <Log path="user/list_security_log" title={t('settings.securityLog')} note={t('settings.securityNote')} />;
}

function Log({
  path,
  title,
  note,
  withPeople = false,
}: {
  path: 'user/list_audit_log' | 'user/list_security_log';
  title: string;
  note: string;
  /** Shows who acted. */
  withPeople?: boolean;
}) {
  const log = useInfiniteQuery({
    queryKey: [path],
    queryFn: ({ pageParam, signal }) => call(path, { limit: PAGE, cursor: pageParam }, { signal }),
    ...cursorPaging,
  });
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed" mb="xs">
        {note}
      </Text>
      <QueryStatus of={log} rows={4} />
      {entries.length > 0 && (
        <DataTable
          label={title}
          rows={entries}
          rowKey={(_entry, index) => index}
          columns={[
            { header: t('settings.what'), renderCell: ({ action }) => <RowName name={actionName(action)} /> },
            ...(withPeople
              ? [{ header: t('settings.who'), renderCell: ({ user_name: name }: Entry) => name ?? t('common.unknown') }]
              : []),
            { header: t('settings.when'), nowrap: true, renderCell: ({ at }) => <RelativeTime at={at} /> },
            {
              header: t('settings.towards'),
              isRest: true,
              renderCell: (entry) => <Subject entry={entry} />,
            },
            { header: t('settings.from'), visibleFrom: 'sm', renderCell: ({ address }) => address },
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

/** The subject of an entry: the name of a member, with the role; an existing campaign is a link. */
function Subject({ entry }: { entry: Entry }) {
  const { action, subject, campaign_name: name, member_name: member, given_role: given, former_role: former } = entry;
  const roles = [former, given].flatMap((role) => (role === undefined ? [] : t(`members.roles.${role}`)));
  if (roles.length > 0) return `${member ?? subject}: ${roles.join(' → ')}`;
  if (member !== undefined) return member;
  if (!action.startsWith('campaign.')) return subject;
  if (name === undefined) return t('settings.goneCampaign');
  return (
    <Anchor component={Link} href={`/campaigns/${subject}`} size="sm" underline="always" title={name}>
      {name}
    </Anchor>
  );
}
