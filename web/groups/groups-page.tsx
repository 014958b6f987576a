import { Button, Group as Row, Menu, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSeveralAccounts } from '../api/accounts.ts';
import type { Group, GroupKind, GroupList } from '../api/operations.ts';
import { groupsWithActivityQuery, fetchAllGroups, type GroupFilter } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { Callout } from '../parts/callout.tsx';
import { notifyError } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { CreateGroupDialog } from './create-group-dialog.tsx';
import { GroupFilters, useGroupFilterParams } from './group-filters.tsx';
import { GroupsTable } from './groups-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { KINDS } from './kinds.ts';
import { RuleListButton } from './rule-list-button.tsx';
import { SavedListActions, SavedListFilter } from './saved-list-controls.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { syncGroups } from './sync-groups.ts';
import { SyncReportCallout } from './sync-report-callout.tsx';
import { fetchListGroups, useSavedLists } from './use-saved-lists.ts';
import { useSelection, type Selection } from './use-selection.ts';
import { useTableView, type TableView } from './use-table-view.ts';
import { useNewCampaign } from './use-new-campaign.ts';
import { ActivityFilters } from './activity-filters.tsx';

export default function GroupsPage() {
  const { filter, typedFilter, isFiltered, fields } = useGroupFilterParams();
  const [creating, setCreating] = useState<GroupKind>();
  const [inviting, setInviting] = useState<Group>();
  const selection = useSelection();
  const saved = useSavedLists(selection);
  const { lists, list, changing } = saved;
  const view = useTableView();
  const filters = { ...filter, ...view.filter, listId: list?.group_list_id };
  const found = useGroups(filters, view);
  const write = useNewCampaign();
  const syncing = useSync();
  const create = useMay('manager') === false ? undefined : setCreating;

  return (
    <Page title={t('pages.groups')} actions={<GroupActions {...{ create, syncing }} />}>
      <RoleNote needs="manager" text={t('groups.ofManagers')} mb="sm" />
      <SyncReportCallout
        isBusy={syncing.isPending}
        {...(syncing.data && { report: syncing.data })}
        close={() => syncing.reset()}
      />
      <GroupFilters fields={fields}>
        <SavedListFilter lists={lists} chosen={list} choose={saved.choose} />
        {create && <RuleListButton label={t('groups.newRule')} onSaved={saved.choose} />}
        {/* Of no groups at all there is nothing to narrow down. */}
        {(!found.isSuccess || isFiltered || view.isFiltered || groupsOf(found).length > 0) && (
          <ActivityFilters view={view} />
        )}
      </GroupFilters>
      {list && (
        <SavedListActions
          key={list.group_list_id}
          list={list}
          write={async () => write(await fetchListGroups(list.group_list_id))}
          change={() => saved.change(list.group_list_id)}
          onDeleted={() => saved.choose(undefined)}
        />
      )}
      {changing && (
        <Callout mb="md" role="status">
          {t('groups.changing', { name: changing.name })}
        </Callout>
      )}
      {create && lists.length === 0 && groupsOf(found).length > 1 && selection.groups.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('groups.noLists')}
        </Text>
      )}
      <GroupResults
        {...{ found, asked: filters, selection, view }}
        typed={typedFilter}
        isFiltered={isFiltered}
        list={list}
        {...(create && { create })}
        invite={setInviting}
      />
      <SelectionBar
        selected={selection.groups}
        changing={changing}
        write={() => write(selection.groups)}
        clear={saved.stopChanging}
        onSaved={saved.onSaved}
      />
      <CreateGroupDialog kind={creating} close={() => setCreating(undefined)} />
      <InviteDialog group={inviting} close={() => setInviting(undefined)} />
    </Page>
  );
}

function GroupResults({
  found,
  asked,
  typed,
  selection,
  view,
  isFiltered,
  list,
  create,
  invite,
}: {
  found: ReturnType<typeof useGroups>;
  asked: GroupFilter;
  /** What the fields read, which `asked` follows a moment later. */
  typed: GroupFilter;
  selection: Selection;
  view: TableView;
  isFiltered: boolean;
  list: GroupList | undefined;
  /** Undefined for those who may create none. */
  create?: (kind: GroupKind) => void;
  invite: (group: Group) => void;
}) {
  const groups = groupsOf(found);
  return (
    <>
      <QueryStatus of={found} rows={6} />
      {found.isSuccess && groups.length === 0 && (
        <NoGroups
          isFiltered={isFiltered || view.isFiltered || list !== undefined}
          ofList={asked.search === '' && !view.isFiltered ? list : undefined}
          {...(create && { create })}
        />
      )}
      {groups.length > 0 && (
        <>
          <FoundTotals totals={found.data?.pages[0]?.totals} filter={{ ...asked, ...typed }} select={selection.add} />
          <GroupsTable groups={groups} selection={selection} view={view} invite={invite} />
        </>
      )}
      {found.hasNextPage && (
        <Row justify="center" my="md">
          <LoadMoreButton of={found} />
        </Row>
      )}
    </>
  );
}

function useGroups(asked: GroupFilter, view: TableView) {
  return useInfiniteQuery(groupsWithActivityQuery(asked, view.sort));
}

function groupsOf(found: ReturnType<typeof useGroups>): Group[] {
  return found.data?.pages.flatMap((page) => page.groups) ?? [];
}

function useSync() {
  const client = useQueryClient();
  const accounts = useSeveralAccounts() ?? [];
  return useMutation({
    mutationFn: () =>
      syncGroups(accounts.filter(({ status }) => status === 'connected').map(({ account_id: id }) => id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['groups'] }),
    onError: notifyError,
  });
}

/** The number of matches, and a button that selects them all. */
function FoundTotals({
  totals,
  filter,
  select,
}: {
  totals: { groups: number; participants: number } | undefined;
  filter: GroupFilter;
  select: (groups: readonly Group[]) => void;
}) {
  const selecting = useMutation({ mutationFn: () => fetchAllGroups(filter), onSuccess: select, onError: notifyError });
  if (!totals) return null;
  return (
    <Row justify="space-between" mb="xs" gap="xs">
      <Text size="sm" c="dimmed" aria-live="polite">
        {t('groups.found', { groups: totals.groups, members: totals.participants })}
      </Text>
      <Button size="compact-sm" variant="default" loading={selecting.isPending} onClick={() => selecting.mutate()}>
        {t('groups.selectAll')}
      </Button>
    </Row>
  );
}

function NoGroups({
  isFiltered,
  ofList,
  create,
}: {
  isFiltered: boolean;
  /** All of this list are shown. */
  ofList: GroupList | undefined;
  create?: (kind: GroupKind) => void;
}) {
  if (ofList)
    return <Empty title={t(ofList.rule ? 'groups.emptyRule' : 'groups.emptyList')}>{t('groups.emptyListHint')}</Empty>;
  if (isFiltered) return <Empty title={t('groups.noneFound')}>{t('groups.noneFoundHint')}</Empty>;
  return (
    <Empty
      title={t('groups.none')}
      sample="groups"
      action={create && <Button onClick={() => create('group')}>{t('groups.create.group')}</Button>}
    >
      {t('groups.noneHint')}
    </Empty>
  );
}

function GroupActions({
  create,
  syncing,
}: {
  /** Undefined for those who may create none. */
  create: ((kind: GroupKind) => void) | undefined;
  syncing: ReturnType<typeof useSync>;
}) {
  return (
    <>
      <Button component={Link} href="/groups/fields" variant="default">
        {t('groupFields.open')}
      </Button>
      {create && <Creation create={create} syncing={syncing} />}
    </>
  );
}

function Creation({ create, syncing }: { create: (kind: GroupKind) => void; syncing: ReturnType<typeof useSync> }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="sync" size={16} />}
        loading={syncing.isPending}
        onClick={() => syncing.mutate()}
      >
        {t('groups.sync')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button leftSection={<Icon name="plus" size={16} />}>{t('groups.new')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {KINDS.map((kind) => (
            <Menu.Item key={kind} onClick={() => create(kind)}>
              {t(`kinds.${kind}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
