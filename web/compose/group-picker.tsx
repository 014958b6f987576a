import { Button, Checkbox, Group as Row, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { groupsWithActivityQuery, fetchAllGroups, MAX_GROUPS } from '../api/queries.ts';
import { count, share } from '../format/numbers.ts';
import type { Group } from '../api/operations.ts';
import { GroupFilters, useGroupFilter } from '../groups/group-filters.tsx';
import { SaveListButton } from '../groups/save-list-button.tsx';
import boxClasses from '../parts/box.module.css';
import { Empty } from '../parts/empty.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { notifyError } from '../parts/notify.ts';
import textClasses from '../parts/text.module.css';
import { VirtualList } from '../parts/virtual-rows.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { membersOf } from './audience.ts';
import { toPicked, type PickedGroup } from './draft.ts';
import classes from './group-picker.module.css';

const ROW_HEIGHT = 52;
/** The height left beside the section's header and the bottom bar; at least four rows. */
const MAX_HEIGHT = `max(${4 * ROW_HEIGHT}px, 100dvh - 340px)`;
const BY_NAME = { by: 'name', isDown: false } as const;

/** A picked group could be posted to when it was picked. */
export type Pickable = PickedGroup & Pick<Partial<Group>, 'can_send' | 'activity'>;

interface GroupPickerProps {
  picked: readonly PickedGroup[];
  onChange: (groups: readonly PickedGroup[]) => void;
}

/** Picks the groups of the post. Picked groups stay visible whatever the search is. */
export function GroupPicker({ picked, onChange }: GroupPickerProps) {
  const { filter, typedFilter, isFiltered, fields } = useGroupFilter();
  const [isShowingPicked, setShowingPicked] = useState(false);
  const found = useInfiniteQuery(groupsWithActivityQuery(filter, BY_NAME));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const pickingAll = useMutation({
    // Before the search has settled, all groups still match.
    mutationFn: () => fetchAllGroups(typedFilter),
    onSuccess: (all) => onChange(mergeGroups(picked, all)),
    onError: notifyError,
  });
  const shown: readonly Pickable[] = isShowingPicked ? picked : groups;

  return (
    <div>
      <GroupFilters fields={fields} small />
      <QueryStatus of={found} rows={3} height={ROW_HEIGHT} />
      {found.isSuccess && shown.length === 0 && <NoGroups isFiltered={isFiltered} />}
      {shown.length > 0 && <GroupPickerList shown={shown} picked={picked} onChange={onChange} />}
      <Row justify="space-between" mt="sm" gap="xs" wrap="nowrap">
        <Text size="sm" fw={550} aria-live="polite">
          {t('compose.picked', { groups: picked.length, members: membersOf(picked) })}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          flex="none"
          disabled={picked.length === 0}
          onClick={() => onChange([])}
        >
          {t('common.clear')}
        </Button>
      </Row>
      <Row mt={6} gap="xs">
        {!isShowingPicked && <LoadMoreButton of={found} size="compact-sm" />}
        <Button
          size="compact-sm"
          variant="default"
          loading={pickingAll.isPending}
          disabled={groups.length === 0 || isShowingPicked}
          onClick={() => pickingAll.mutate()}
        >
          {t('compose.pickAll')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-pressed={isShowingPicked}
          disabled={picked.length === 0 && !isShowingPicked}
          onClick={() => setShowingPicked(!isShowingPicked)}
        >
          {isShowingPicked ? t('compose.showAll') : t('compose.showPicked')}
        </Button>
        <SaveListButton groups={picked} />
      </Row>
    </div>
  );
}

function NoGroups({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty
      title={isFiltered ? t('groups.noneFound') : t('groups.none')}
      sample={isFiltered ? undefined : 'groups'}
      action={
        <Button component={Link} href="/groups" variant="default" size="xs">
          {t('groups.goThere')}
        </Button>
      }
    />
  );
}

function GroupPickerList({ shown, picked, onChange }: GroupPickerProps & { shown: readonly Pickable[] }) {
  const ids = new Set(picked.map((group) => group.group_metadata_id));
  const toggle = (group: Pickable) =>
    onChange(
      ids.has(group.group_metadata_id)
        ? excludeGroups(picked, [group.group_metadata_id])
        : mergeGroups(picked, [group]),
    );
  return (
    <VirtualList
      items={shown}
      rowHeight={ROW_HEIGHT}
      maxHeight={MAX_HEIGHT}
      label={t('compose.groupList')}
      isWheelOnceUsed
    >
      {(group) => (
        <label key={group.group_metadata_id} className={classes.row} style={{ height: ROW_HEIGHT }}>
          <Checkbox
            checked={ids.has(group.group_metadata_id)}
            disabled={group.can_send === false}
            onChange={() => toggle(group)}
            aria-label={group.group_name}
          />
          <span className={`${classes.name} ${boxClasses.grow}`}>
            <span className={textClasses.clip}>{group.group_name}</span>
            <LastPost activity={group.activity} />
          </span>
          <span className={`${textClasses.dim} ${textClasses.nowrap}`}>
            {group.can_send === false ? t('groups.cannotSend') : t(`kinds.${group.kind}`)}
          </span>
          <span className={classes.size}>{count(group.participants)}</span>
        </label>
      )}
    </VirtualList>
  );
}

/** The last post and its read rate; nothing for groups that were picked before the page was opened. */
function LastPost({ activity }: Pick<Pickable, 'activity'>) {
  if (!activity) return null;
  const { last_posted_at: at, read_rate: rate } = activity;
  return (
    <span className={`${classes.last} ${textClasses.clip}`}>
      {at === null ? t('groups.notPosted') : <RelativeTime at={at} />}
      {rate !== null && ` · ${t('groups.readShare', { share: share(rate) })}`}
    </span>
  );
}

/** Adds groups that can be posted to, without duplicates, up to the limit of a campaign. */
export function mergeGroups(picked: readonly PickedGroup[], more: readonly Pickable[]): PickedGroup[] {
  const byId = new Map(picked.map((group) => [group.group_metadata_id, group]));
  for (const group of more) if (group.can_send !== false) byId.set(group.group_metadata_id, toPicked(group));
  return [...byId.values()].slice(0, MAX_GROUPS);
}

/** Removes the groups with these ids. */
export function excludeGroups(picked: readonly PickedGroup[], groupIds: readonly number[]): PickedGroup[] {
  const out = new Set(groupIds);
  return picked.filter((group) => !out.has(group.group_metadata_id));
}
