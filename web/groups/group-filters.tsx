import { SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import type { GroupFilter } from '../api/queries.ts';
import { Filters } from '../parts/filters.tsx';
import { words } from '../words/words.ts';
import { KINDS, type KindFilter } from './kinds.ts';

const WAIT_MS = 200;

/** Which groups are asked for, a moment after the last key: as the service takes it, and as the fields hold it. */
export function useGroupFilter(begun = '') {
  const [typed, setTyped] = useState(begun);
  const [kind, setKind] = useState<KindFilter>('all');
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const filter: GroupFilter = { kind: kind === 'all' ? undefined : kind, search };
  return { filter, isFiltered: kind !== 'all' || search !== '', fields: { typed, setTyped, kind, setKind } };
}

/** A search, the kind, and what else narrows the list. */
export function GroupFilters({
  fields: { typed, setTyped, kind, setKind },
  small = false,
  children,
}: {
  fields: ReturnType<typeof useGroupFilter>['fields'];
  small?: boolean;
  children?: ReactNode;
}) {
  return (
    <Filters label={words.groups.search} typed={typed} onType={setTyped} {...(small && { size: 'sm' })}>
      <SegmentedControl
        size={small ? 'xs' : 'sm'}
        aria-label={words.groups.kind}
        value={kind}
        onChange={(value) => setKind(value as KindFilter)}
        data={[
          { value: 'all', label: words.groups.all },
          ...KINDS.map((value) => ({ value, label: words.kindsPlural[value] })),
        ]}
      />
      {children}
    </Filters>
  );
}
