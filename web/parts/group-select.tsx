import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Group } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';

export const GROUPS_SHOWN = 50;
const WAIT_MS = 200;

type NamedGroup = Pick<Group, 'group_metadata_id' | 'group_name'>;

interface GroupSelectProps<One extends NamedGroup> extends Omit<SelectProps, 'data' | 'value' | 'onChange' | 'filter'> {
  chosen: One | undefined;
  choose: (group: One | Group | undefined) => void;
  /** Whether a group that can be posted to is offered. Default: each is. */
  isOffered?: (group: Group) => boolean;
}

/** Picks one of the workspace's groups that can be posted to, by a part of its name. */
export function GroupSelect<One extends NamedGroup>({ chosen, choose, isOffered, ...shown }: GroupSelectProps<One>) {
  const [typed, setTyped] = useState('');
  // The field then holds the name of the chosen group, which is not a search.
  const [search] = useDebouncedValue(typed === chosen?.group_name ? '' : typed, WAIT_MS);
  const found = useQuery({
    queryKey: ['groups', 'one', search],
    queryFn: ({ signal }) => call('venom/list-groups', { search, limit: GROUPS_SHOWN }, { signal }),
    placeholderData: keepPreviousData,
  });
  const groups: Array<One | Group> = (found.data?.groups ?? []).filter(
    (group) => group.can_send && isOffered?.(group) !== false,
  );
  const others = groups.filter((one) => one.group_metadata_id !== chosen?.group_metadata_id);
  const offered = chosen && others.length === groups.length ? [chosen, ...groups] : groups;
  return (
    <Select
      {...shown}
      data={offered.map((group) => ({ value: String(group.group_metadata_id), label: group.group_name }))}
      value={chosen ? String(chosen.group_metadata_id) : null}
      onChange={(id) => choose(offered.find((group) => String(group.group_metadata_id) === id))}
      searchable
      onSearchChange={setTyped}
      // The service filters.
      filter={({ options }) => options}
      nothingFoundMessage={t('groups.noneFound')}
      error={found.isError ? t('problems.unexpected') : undefined}
      openOnFocus={false}
    />
  );
}
