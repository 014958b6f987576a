import { Anchor, Select, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import { cursorPaging } from '../api/cursor-paging.ts';
import type { Body, Data } from '../api/operations.ts';
import { membersQuery } from '../members/queries.ts';
import { memberName } from '../format/person-name.ts';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { DownloadCsvButton } from '../parts/download-csv-button.tsx';
import filterClasses from '../parts/filters.module.css';
import { RelativeTime } from '../parts/relative-time.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import textClasses from '../parts/text.module.css';
import { findMessage, t } from '../i18n/translate.ts';

const PAGE = 20;

type Entry = Data<'user/list_audit_log'>['entries'][number];
type Filter = Pick<Body<'user/list_audit_log'>, 'user_id' | 'kind'>;
type Kind = NonNullable<Filter['kind']>;

const KIND_NAMES: Readonly<Record<Kind, () => string>> = {
  campaigns: () => t('audit.kinds.campaigns'),
  drafts: () => t('audit.kinds.drafts'),
  templates: () => t('audit.kinds.templates'),
  files: () => t('audit.kinds.files'),
  groups: () => t('audit.kinds.groups'),
  account: () => t('audit.kinds.account'),
  members: () => t('audit.kinds.members'),
  keys: () => t('audit.kinds.keys'),
  webhooks: () => t('audit.kinds.webhooks'),
  reports: () => t('audit.kinds.reports'),
  sign_ins: () => t('audit.kinds.sign_ins'),
  installation: () => t('audit.kinds.installation'),
};

/** The audit log of the workspace, newest first. */
export function AuditLog() {
  const [filter, setFilter] = useState<Filter>({});
  return (
    <Log
      path="user/list_audit_log"
      title={t('settings.auditLog')}
      note={t('settings.auditNote')}
      filter={filter}
      filters={<LogFilters filter={filter} onChange={setFilter} />}
      aside={
        <DownloadCsvButton
          name={t('settings.auditLog')}
          load={(format) => call('user/export_audit_log', { ...filter, format })}
        />
      }
    />
  );
}

/** The sign-ins of the user and the changes of their account, newest first. */
export function SecurityLog() {
  return <Log path="user/list_security_log" title={t('settings.securityLog')} note={t('settings.securityNote')} />;
}

/** Chooses a member and what entries are about. */
function LogFilters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const members = useQuery(membersQuery);
  const people = members.data?.members ?? [];
  return (
    <div className={filterClasses.filters}>
      <Select
        size="xs"
        clearable
        searchable
        placeholder={t('audit.everybody')}
        aria-label={t('audit.filterPerson')}
        data={people.map((member) => ({ value: String(member.user_id), label: memberName(member) }))}
        value={filter.user_id === undefined ? null : String(filter.user_id)}
        onChange={(id) => onChange({ ...filter, user_id: id === null ? undefined : Number(id) })}
      />
      <Select
        size="xs"
        clearable
        placeholder={t('audit.everything')}
        aria-label={t('audit.filterKind')}
        data={Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label: label() }))}
        value={filter.kind ?? null}
        onChange={(kind) => onChange({ ...filter, kind: (kind as Kind | null) ?? undefined })}
      />
    </div>
  );
}

function Log({
  path,
  title,
  note,
  filter,
  filters,
  aside,
}: {
  path: 'user/list_audit_log' | 'user/list_security_log';
  title: string;
  note: string;
  filter?: Filter;
  /** Of a log of several people, which names who acted. */
  filters?: ReactNode;
  aside?: ReactNode;
}) {
  const log = useInfiniteQuery({
    queryKey: [path, filter],
    queryFn: ({ pageParam, signal }) => call(path, { ...filter, limit: PAGE, cursor: pageParam }, { signal }),
    ...cursorPaging,
  });
  const { data: team } = useQuery({ ...membersQuery, enabled: filters !== undefined });
  const names = new Map(team?.members.map((member) => [member.user_name, memberName(member)]));
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Section title={title} aside={aside}>
      <Text size="sm" c="dimmed" mb="xs">
        {note}
      </Text>
      {filters}
      <QueryStatus of={log} rows={4} />
      {log.data && !log.hasNextPage && entries.length === 0 && <Text size="sm">{t('audit.nothing')}</Text>}
      {entries.length > 0 && (
        <DataTable
          label={title}
          rows={entries}
          rowKey={(_entry, index) => index}
          columns={[
            { header: t('settings.what'), renderCell: (entry) => <Action entry={entry} /> },
            ...(filters
              ? [
                  {
                    header: t('settings.who'),
                    renderCell: ({ user_name: name }: Entry) =>
                      name === undefined ? t('audit.formerMember') : (names.get(name) ?? name),
                  },
                ]
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

/** What was done, and the differences that it made. */
function Action({ entry: { action, changes } }: { entry: Entry }) {
  return (
    <>
      <RowName name={actionName(action)} />
      {changes?.map(({ field, before, after }) => (
        <Text key={field} size="xs" c="dimmed" className={textClasses.breakable}>
          {findMessage(`audit.fields.${field}`) ?? field.replaceAll('_', ' ')}: {before !== null && <del>{before}</del>}
          {before !== null && after !== null && ' → '}
          {after !== null && <ins>{after}</ins>}
        </Text>
      ))}
    </>
  );
}

/** Actions whose subject is a member; without a name, one who was deleted. */
const ABOUT_A_MEMBER: ReadonlySet<string> = new Set([
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.left',
  'workspace.handed_over',
]);

/** The subject of an entry: the name of a member, with the role; an existing campaign is a link. */
function Subject({ entry }: { entry: Entry }) {
  const { action, subject, campaign_name: name, draft_name: draft, member_name: member } = entry;
  const { given_role: given, former_role: former } = entry;
  const roles = [former, given].flatMap((role) => (role === undefined ? [] : t(`members.roles.${role}`)));
  const person = member ?? (ABOUT_A_MEMBER.has(action) ? t('audit.formerMember') : undefined);
  if (roles.length > 0) return [person ?? subject, roles.join(' → ')].join(': ');
  if (person !== undefined) return person;
  // Their name was forgotten with them.
  if (action === 'user.deleted' || (action.startsWith('user.') && subject === '')) return t('audit.formerMember');
  if (action.startsWith('draft.')) return draft === undefined ? t('audit.goneDraft') : draft || t('drafts.unnamed');
  if (action.startsWith('template.')) return draft ?? t('audit.goneTemplate');
  if (!action.startsWith('campaign.')) return subject;
  if (name === undefined) return t('settings.goneCampaign');
  return (
    <Anchor component={Link} href={`/campaigns/${subject}`} size="sm" underline="always" title={name}>
      {name}
    </Anchor>
  );
}
