import { SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import type { GroupFilter } from '../api/queries.ts';
import { Filters } from '../parts/filters.tsx';
import { oneOf, useQueryParam, useDebouncedQueryParam } from '../parts/use-query-param.ts';
import { words } from '../words/words.ts';
import { KINDS, type KindFilter } from './kinds.ts';

const WAIT_MS = 200;
const isKind = oneOf<KindFilter>(['all', ...KINDS]);

/** The filter of groups, debounced: as the API takes it, and as the fields show it. */
export function useGroupFilter() {
  const [typed, setTyped] = useState('');
  const [kind, setKind] = useState<KindFilter>('all');
  const [search] = useDebouncedValue(typed, WAIT_MS);
  return toGroupFilter({ typed, setTyped, kind, setKind }, search);
}

/** The same, kept in the URL. */
export function useGroupFilterParams() {
  const { typed, setTyped, settled } = useDebouncedQueryParam('search');
  const [kind, setKind] = useQueryParam('kind', 'all', isKind);
  return toGroupFilter({ typed, setTyped, kind, setKind }, settled);
}

interface Fields {
  typed: string;
  setTyped: (text: string) => void;
  kind: KindFilter;
  setKind: (kind: KindFilter) => void;
}

function toGroupFilter(fields: Fields, search: string) {
  const { kind } = fields;
  const filter: GroupFilter = { kind: kind === 'all' ? undefined : kind, search };
  return { filter, isFiltered: kind !== 'all' || search !== '', fields };
}

/** A search, the kind, and further filters (`children`). */
export function GroupFilters({
  fields: { typed, setTyped, kind, setKind },
  small = false,
  children,
}: {
  fields: Fields;
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
