import { Button, Checkbox, Group as Row, SegmentedControl, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { findAllGroups, groupsQuery, MOST_GROUPS, type GroupFilter } from '../api/queries.ts';
import { count } from '../format/numbers.ts';
import { KINDS, type KindFilter } from '../groups/kinds.ts';
import { SaveList } from '../groups/save-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { tellProblem } from '../parts/notify.ts';
import { RowsSkeleton } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { VirtualList } from '../parts/virtual-rows.tsx';
import { words } from '../words/words.ts';
import { membersOf } from './members-of.ts';
import { toPicked, type PickedGroup } from './draft.ts';

const WAIT_MS = 200;
const ROW_HEIGHT = 42;

/** Where the post goes. What is picked stays in sight, whatever is searched for. */
export function PickGroups({
  picked,
  onChange,
}: {
  picked: readonly PickedGroup[];
  onChange: (groups: readonly PickedGroup[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const [kind, setKind] = useState<KindFilter>('all');
  const [isShowingPicked, setShowingPicked] = useState(false);
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const filter: GroupFilter = { kind: kind === 'all' ? undefined : kind, search };
  const found = useInfiniteQuery(groupsQuery(filter));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const ids = new Set(picked.map((group) => group.group_metadata_id));

  const pickingAll = useMutation({
    mutationFn: () => findAllGroups(filter),
    onSuccess: (all) => onChange(together(picked, all)),
    onError: tellProblem,
  });
  const toggle = (group: PickedGroup) =>
    onChange(
      ids.has(group.group_metadata_id)
        ? picked.filter((one) => one.group_metadata_id !== group.group_metadata_id)
        : together(picked, [group]),
    );
  const shown: readonly (PickedGroup & { can_send?: boolean })[] = isShowingPicked ? picked : groups;

  return (
    <div>
      <div className="filters">
        <SearchField label={words.groups.search} value={typed} onSearch={setTyped} className="grow" size="sm" />
        <SegmentedControl
          size="xs"
          aria-label={words.groups.kind}
          value={kind}
          onChange={(value) => setKind(value as KindFilter)}
          data={[
            { value: 'all', label: words.groups.all },
            ...KINDS.map((value) => ({ value, label: words.kindsPlural[value] })),
          ]}
        />
      </div>
      {found.isPending && <RowsSkeleton rows={3} height={ROW_HEIGHT} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && shown.length === 0 && (
        <Empty
          title={search === '' && kind === 'all' ? words.groups.none : words.groups.noneFound}
          action={
            <Button component={Link} href="/groups" variant="default" size="xs">
              {words.groups.goThere}
            </Button>
          }
        />
      )}
      {shown.length > 0 && (
        <VirtualList items={shown} rowHeight={ROW_HEIGHT} maxHeight={ROW_HEIGHT * 6.5} label={words.compose.groupList}>
          {(group) => (
            <label key={group.group_metadata_id} className="pick-row" style={{ height: ROW_HEIGHT }}>
              <Checkbox
                checked={ids.has(group.group_metadata_id)}
                disabled={group.can_send === false}
                onChange={() => toggle(group)}
                aria-label={group.group_name}
              />
              <span className="clip grow">{group.group_name}</span>
              <span className="dim nowrap">
                {group.can_send === false ? words.groups.cannotSend : words.kinds[group.kind]}
              </span>
              <span className="pick-size">{count(group.participants)}</span>
            </label>
          )}
        </VirtualList>
      )}
      <Row justify="flex-end" mt="sm" gap="xs">
        <Text size="sm" fw={550} aria-live="polite" className="pick-sum">
          {words.compose.picked(picked.length, count(picked.length), count(membersOf(picked)))}
        </Text>
        <SaveList groups={picked} />
        {found.hasNextPage && !isShowingPicked && (
          <Button size="compact-sm" variant="default" onClick={() => void found.fetchNextPage()}>
            {words.more}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          loading={pickingAll.isPending}
          disabled={groups.length === 0 || isShowingPicked}
          onClick={() => pickingAll.mutate()}
        >
          {words.compose.pickAll}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-pressed={isShowingPicked}
          disabled={picked.length === 0 && !isShowingPicked}
          onClick={() => setShowingPicked(!isShowingPicked)}
        >
          {isShowingPicked ? words.compose.showAll : words.compose.showPicked}
        </Button>
        <Button size="compact-sm" variant="default" disabled={picked.length === 0} onClick={() => onChange([])}>
          {words.clear}
        </Button>
      </Row>
    </div>
  );
}

/** What is picked with more, those that can be posted to, each once and no more than a campaign takes. */
export function together(
  picked: readonly PickedGroup[],
  more: readonly (PickedGroup & { can_send?: boolean })[],
): PickedGroup[] {
  const byId = new Map(picked.map((group) => [group.group_metadata_id, group]));
  for (const group of more) if (group.can_send !== false) byId.set(group.group_metadata_id, toPicked(group));
  return [...byId.values()].slice(0, MOST_GROUPS);
}

/** What is picked but for the groups with these ids. */
export function without(picked: readonly PickedGroup[], groupIds: readonly number[]): PickedGroup[] {
  const out = new Set(groupIds);
  return picked.filter((group) => !out.has(group.group_metadata_id));
}
