import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PlannedRun } from '../api/operations.ts';
import { groupListsQuery } from '../api/queries.ts';
import { t } from '../i18n/translate.ts';
import classes from './calendar.module.css';

/** As in theme.ts. Further lists begin with the first colour again. */
const COLOURS = 8;

/** A saved list as the calendar shows it. */
export interface MarkedList {
  name: string;
  colour: string;
}

/**
 * Returns the list that the groups of a run come from, or undefined. The colours follow the age of the lists, so that a new list changes
 * no other.
 */
export function useMarkedLists(): (run: PlannedRun) => MarkedList | undefined {
  const lists = useQuery(groupListsQuery).data?.group_lists ?? [];
  const byAge = lists.toSorted((one, other) => one.group_list_id - other.group_list_id);
  const marked = new Map(
    byAge.map(({ group_list_id: id, name }, index) => [
      id,
      { name, colour: `var(--list-${(index % COLOURS) + 1})` } satisfies MarkedList,
    ]),
  );
  return ({ group_list_id: id }) => (id === undefined ? undefined : marked.get(id));
}

/** The name of the list is to stand beside it. */
export function ListMark({ list }: { list: MarkedList }) {
  return <span className={classes.listMark} style={{ background: list.colour }} data-list-mark aria-hidden="true" />;
}

/** Names the lists of the colours that are shown. */
export function ListLegend({ runs }: { runs: readonly PlannedRun[] }) {
  const listOf = useMarkedLists();
  const shown = new Map(runs.map((run) => [run.group_list_id, listOf(run)]));
  const lists = [...shown.values()].filter((list) => list !== undefined);
  if (lists.length === 0) return null;
  const byName = lists.toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <Group component="ul" gap="md" mt="xs" className={classes.lists} aria-label={t('groups.lists')}>
      {byName.map((list) => (
        <li key={list.colour + list.name}>
          <ListMark list={list} />
          <span dir="auto">{list.name}</span>
        </li>
      ))}
    </Group>
  );
}
