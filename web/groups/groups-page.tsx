import { Button, Menu, SegmentedControl, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { Group, GroupKind } from '../api/operations.ts';
import { activityQuery, findAllGroups, groupListsQuery, type GroupFilter } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { putGroups } from '../compose/put-draft.ts';
import type { PickedGroup } from '../compose/draft.ts';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { Icon } from '../parts/icons.tsx';
import { tellProblem } from '../parts/notify.ts';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { words } from '../words/words.ts';
import { CreateGroup } from './create-group.tsx';
import { GroupsTable } from './groups-table.tsx';
import { Invite } from './invite.tsx';
import { KINDS, type KindFilter } from './kinds.ts';
import { ListActions, ListFilter } from './list-bar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { syncGroups } from './sync.ts';
import { SyncNote } from './sync-note.tsx';
import { useSelection } from './use-selection.ts';

const WAIT_MS = 200;

export default function GroupsPage() {
  const [parameters] = useSearchParams();
  const [typed, setTyped] = useState(parameters.get('search') ?? '');
  const [kind, setKind] = useState<KindFilter>('all');
  const [creating, setCreating] = useState<GroupKind>();
  const [inviting, setInviting] = useState<Group>();
  const [listId, setListId] = useState<number>();
  const [changingId, setChangingId] = useState<number>();
  const selection = useSelection();
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const lists = useQuery(groupListsQuery).data?.group_lists ?? [];
  const list = lists.find((one) => one.group_list_id === listId);
  const changing = lists.find((one) => one.group_list_id === changingId);
  const filter: GroupFilter = { kind: kind === 'all' ? undefined : kind, search, listId: list?.group_list_id };
  const found = useInfiniteQuery(activityQuery(filter));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const isFiltered = kind !== 'all' || search !== '' || list !== undefined;
  const write = useWrite();
  const syncing = useSync();
  const selectingAll = useMutation({
    mutationFn: () => findAllGroups(filter),
    onSuccess: selection.add,
    onError: tellProblem,
  });

  const findListed = (id: number) => findAllGroups({ kind: undefined, search: '', listId: id });
  const change = async (id: number) => {
    selection.replace(await findListed(id));
    setChangingId(id);
    setListId(undefined);
  };
  const stopChanging = () => {
    selection.clear();
    setChangingId(undefined);
  };

  return (
    <Page title={words.pages.groups} actions={<GroupActions create={setCreating} syncing={syncing} />}>
      <SyncNote
        isBusy={syncing.isPending}
        {...(syncing.data && { report: syncing.data })}
        close={() => syncing.reset()}
      />
      <div className="filters">
        <SearchField label={words.groups.search} value={typed} onSearch={setTyped} className="grow" />
        <SegmentedControl
          aria-label={words.groups.kind}
          value={kind}
          onChange={(value) => setKind(value as KindFilter)}
          data={[
            { value: 'all', label: words.groups.all },
            ...KINDS.map((value) => ({ value, label: words.kindsPlural[value] })),
          ]}
        />
        <ListFilter lists={lists} chosen={list} choose={setListId} />
      </div>
      {list && (
        <ListActions
          key={list.group_list_id}
          list={list}
          write={async () => write(await findListed(list.group_list_id))}
          change={() => change(list.group_list_id)}
          onDeleted={() => setListId(undefined)}
        />
      )}
      {changing && (
        <Text size="sm" className="note" mb="md" role="status">
          {words.groups.changing(changing.name)}
        </Text>
      )}
      {lists.length === 0 && groups.length > 1 && selection.groups.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {words.groups.noLists}
        </Text>
      )}
      {found.isPending && <RowsSkeleton rows={6} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && groups.length === 0 && (
        <NoGroups isFiltered={isFiltered} isOfList={list !== undefined && search === ''} create={setCreating} />
      )}
      {groups.length > 0 && (
        <GroupsTable
          groups={groups}
          selected={selection.ids}
          toggle={selection.toggle}
          toggleAll={() => selection.toggleAll(groups)}
          invite={setInviting}
        />
      )}
      {found.hasNextPage && (
        <div className="below-table">
          <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {words.more}
          </Button>
          <Button variant="default" loading={selectingAll.isPending} onClick={() => selectingAll.mutate()}>
            {words.groups.selectAll}
          </Button>
        </div>
      )}
      <SelectionBar
        selected={selection.groups}
        changing={changing}
        write={() => write(selection.groups)}
        clear={stopChanging}
        onSaved={(id) => {
          stopChanging();
          setListId(id);
        }}
      />
      <CreateGroup kind={creating} close={() => setCreating(undefined)} />
      <Invite group={inviting} close={() => setInviting(undefined)} />
    </Page>
  );
}

/** Opens a new campaign to these groups; what is written of one already stays. */
function useWrite(): (groups: readonly PickedGroup[]) => void {
  const [, go] = useLocation();
  const { data: session } = useQuery(sessionQuery);
  return (groups) => {
    if (!session) return;
    putGroups(session.user_info.user_id, session.time_zone, groups);
    go('/campaigns/new');
  };
}

function useSync() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: syncGroups,
    onSuccess: () => client.invalidateQueries({ queryKey: ['groups'] }),
    onError: tellProblem,
  });
}

function NoGroups({
  isFiltered,
  isOfList,
  create,
}: {
  isFiltered: boolean;
  isOfList: boolean;
  create: (kind: GroupKind) => void;
}) {
  if (isOfList) return <Empty title={words.groups.emptyList}>{words.groups.emptyListHint}</Empty>;
  if (isFiltered) return <Empty title={words.groups.noneFound}>{words.groups.noneFoundHint}</Empty>;
  return (
    <Empty
      title={words.groups.none}
      action={<Button onClick={() => create('group')}>{words.groups.create.group}</Button>}
    >
      {words.groups.noneHint}
    </Empty>
  );
}

function GroupActions({ create, syncing }: { create: (kind: GroupKind) => void; syncing: ReturnType<typeof useSync> }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="sync" size={16} />}
        loading={syncing.isPending}
        onClick={() => syncing.mutate()}
      >
        {words.groups.sync}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button leftSection={<Icon name="plus" size={16} />}>{words.groups.new}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {KINDS.map((kind) => (
            <Menu.Item key={kind} onClick={() => create(kind)}>
              {words.kinds[kind]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
