import { Button, Menu, SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../api/call.ts';
import type { Group, GroupKind } from '../api/operations.ts';
import { groupsQuery } from '../api/queries.ts';
import { count } from '../format/numbers.ts';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { Icon } from '../parts/icons.tsx';
import { tell, tellProblem } from '../parts/notify.ts';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { words } from '../words/words.ts';
import { CreateGroup } from './create-group.tsx';
import { GroupsTable } from './groups-table.tsx';
import { Invite } from './invite.tsx';
import { KINDS, type KindFilter } from './kinds.ts';

const WAIT_MS = 200;

export default function GroupsPage() {
  const [parameters] = useSearchParams();
  const [typed, setTyped] = useState(parameters.get('search') ?? '');
  const [kind, setKind] = useState<KindFilter>('all');
  const [creating, setCreating] = useState<GroupKind>();
  const [inviting, setInviting] = useState<Group>();
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const found = useInfiniteQuery(groupsQuery({ kind: kind === 'all' ? undefined : kind, search }));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const isFiltered = kind !== 'all' || search !== '';

  return (
    <Page title={words.pages.groups} actions={<GroupActions create={setCreating} />}>
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
      </div>
      {found.isPending && <RowsSkeleton rows={6} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && groups.length === 0 && (
        <Empty
          title={isFiltered ? words.groups.noneFound : words.groups.none}
          action={
            isFiltered ? undefined : <Button onClick={() => setCreating('group')}>{words.groups.create.group}</Button>
          }
        >
          {isFiltered ? words.groups.noneFoundHint : words.groups.noneHint}
        </Empty>
      )}
      {groups.length > 0 && <GroupsTable groups={groups} invite={setInviting} />}
      {found.hasNextPage && (
        <Button
          variant="default"
          fullWidth
          mt="md"
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {words.more}
        </Button>
      )}
      <CreateGroup kind={creating} close={() => setCreating(undefined)} />
      <Invite group={inviting} close={() => setInviting(undefined)} />
    </Page>
  );
}

function GroupActions({ create }: { create: (kind: GroupKind) => void }) {
  const client = useQueryClient();
  const syncing = useMutation({
    mutationFn: () => call('venom/sync-groups', {}),
    onSuccess: async ({ added, updated, removed }) => {
      tell(words.groups.synced(count(added), count(updated), count(removed)));
      await client.invalidateQueries({ queryKey: ['groups'] });
    },
    onError: tellProblem,
  });
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
