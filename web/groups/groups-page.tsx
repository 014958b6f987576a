import { Button, Group as Row, Menu, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { Group, GroupKind } from '../api/operations.ts';
import { activityQuery, findAllGroups, type GroupFilter } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { putGroups } from '../compose/put-draft.ts';
import type { PickedGroup } from '../compose/draft.ts';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { Icon } from '../parts/icons.tsx';
import { More, type Pages } from '../parts/more.tsx';
import { Note } from '../parts/note.tsx';
import { tellProblem } from '../parts/notify.ts';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import { CreateGroup } from './create-group.tsx';
import { GroupFilters, useGroupFilter } from './group-filters.tsx';
import { GroupsTable } from './groups-table.tsx';
import { Invite } from './invite.tsx';
import { KINDS } from './kinds.ts';
import { ListActions, ListFilter } from './list-bar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { syncGroups } from './sync.ts';
import { SyncNote } from './sync-note.tsx';
import { findListed, useSavedLists } from './use-saved-lists.ts';
import { useSelection } from './use-selection.ts';

export default function GroupsPage() {
  const [parameters] = useSearchParams();
  const { filter, isFiltered, fields } = useGroupFilter(parameters.get('search') ?? '');
  const [creating, setCreating] = useState<GroupKind>();
  const [inviting, setInviting] = useState<Group>();
  const selection = useSelection();
  const saved = useSavedLists(selection);
  const { lists, list, changing } = saved;
  const asked = { ...filter, listId: list?.group_list_id };
  const found = useInfiniteQuery(activityQuery(asked));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const write = useWrite();
  const syncing = useSync();

  return (
    <Page title={words.pages.groups} actions={<GroupActions create={setCreating} syncing={syncing} />}>
      <SyncNote
        isBusy={syncing.isPending}
        {...(syncing.data && { report: syncing.data })}
        close={() => syncing.reset()}
      />
      <GroupFilters fields={fields}>
        <ListFilter lists={lists} chosen={list} choose={saved.choose} />
      </GroupFilters>
      {list && (
        <ListActions
          key={list.group_list_id}
          list={list}
          write={async () => write(await findListed(list.group_list_id))}
          change={() => saved.change(list.group_list_id)}
          onDeleted={() => saved.choose(undefined)}
        />
      )}
      {changing && (
        <Note mb="md" role="status">
          {words.groups.changing(changing.name)}
        </Note>
      )}
      {lists.length === 0 && groups.length > 1 && selection.groups.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {words.groups.noLists}
        </Text>
      )}
      {found.isPending && <RowsSkeleton rows={6} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && groups.length === 0 && (
        <NoGroups
          isFiltered={isFiltered || list !== undefined}
          isOfList={list !== undefined && filter.search === ''}
          create={setCreating}
        />
      )}
      {groups.length > 0 && <GroupsTable groups={groups} selection={selection} invite={setInviting} />}
      {found.hasNextPage && <MoreGroups found={found} filter={asked} select={selection.add} />}
      <SelectionBar
        selected={selection.groups}
        changing={changing}
        write={() => write(selection.groups)}
        clear={saved.stopChanging}
        onSaved={saved.onSaved}
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

/** The next of them, or all that there are. */
function MoreGroups({
  found,
  filter,
  select,
}: {
  found: Pages;
  filter: GroupFilter;
  select: (groups: readonly Group[]) => void;
}) {
  const selecting = useMutation({ mutationFn: () => findAllGroups(filter), onSuccess: select, onError: tellProblem });
  return (
    <Row justify="center" gap={10} my="md">
      <More of={found} />
      <Button variant="default" loading={selecting.isPending} onClick={() => selecting.mutate()}>
        {words.groups.selectAll}
      </Button>
    </Row>
  );
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
