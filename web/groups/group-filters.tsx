import { Group as Row, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { GroupFilter } from '../api/queries.ts';
import { Filters } from '../parts/filters.tsx';
import { isText, oneOf, useQueryParam, useDebouncedQueryParam } from '../parts/use-query-param.ts';
import { t } from '../i18n/translate.ts';
import { fieldsQuery } from './fields/field-queries.ts';
import { KINDS, type KindFilter } from './kinds.ts';

const WAIT_MS = 200;
const isKind = oneOf<KindFilter>(['all', ...KINDS]);

/** The filter of groups, debounced: as the API takes it, and as the fields show it. */
export function useGroupFilter() {
  const [typed, setTyped] = useState('');
  const [kind, setKind] = useState<KindFilter>('all');
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const [field, setField] = useState('');
  const [value, setValue] = useState('');
  const [settledValue] = useDebouncedValue(value, WAIT_MS);
  return toGroupFilter(
    { typed, setTyped, kind, setKind, field, setField, value, setValue },
    { search, value: settledValue },
  );
}

/** The same, kept in the URL. */
export function useGroupFilterParams() {
  const { typed, setTyped, settled } = useDebouncedQueryParam('search');
  const [kind, setKind] = useQueryParam('kind', 'all', isKind);
  const [field, setField] = useQueryParam('field', '', isText);
  const { typed: value, setTyped: setValue, settled: settledValue } = useDebouncedQueryParam('value');
  return toGroupFilter(
    { typed, setTyped, kind, setKind, field, setField, value, setValue },
    { search: settled, value: settledValue },
  );
}

interface Fields {
  typed: string;
  setTyped: (text: string) => void;
  kind: KindFilter;
  setKind: (kind: KindFilter) => void;
  /** The name of a field, or an empty string for none. */
  field: string;
  setField: (name: string) => void;
  value: string;
  setValue: (value: string) => void;
}

function toGroupFilter(fields: Fields, settled: { search: string; value: string }) {
  const { kind, field, typed, value } = fields;
  const filterOf = (by: typeof settled): GroupFilter => ({
    kind: kind === 'all' ? undefined : kind,
    search: by.search,
    fields: field === '' ? undefined : { [field]: by.value },
  });
  const filter = filterOf(settled);
  return {
    filter,
    /** As the fields read, which `filter` follows a moment later. */
    typedFilter: filterOf({ search: typed, value }),
    isFiltered: kind !== 'all' || settled.search !== '' || field !== '',
    fields,
  };
}

/** A search, the kind, a value, and further filters (`children`). */
export function GroupFilters({
  fields: { typed, setTyped, kind, setKind, ...valueFields },
  small = false,
  children,
}: {
  fields: Fields;
  small?: boolean;
  children?: ReactNode;
}) {
  return (
    <Filters label={t('groups.search')} typed={typed} onType={setTyped} {...(small && { size: 'sm' })}>
      <SegmentedControl
        size={small ? 'xs' : 'sm'}
        aria-label={t('groups.kind')}
        value={kind}
        onChange={(value) => setKind(value as KindFilter)}
        data={[
          { value: 'all', label: t('groups.all') },
          ...KINDS.map((value) => ({ value, label: t(`kindsPlural.${value}`) })),
        ]}
      />
      <ValueFilter {...valueFields} size={small ? 'xs' : 'sm'} />
      {children}
    </Filters>
  );
}

/** Only groups with this value in a field of the workspace. Nothing where it has no fields. */
function ValueFilter({
  field,
  setField,
  value,
  setValue,
  size,
}: Pick<Fields, 'field' | 'setField' | 'value' | 'setValue'> & { size: 'xs' | 'sm' }) {
  const { data: known = [] } = useQuery(fieldsQuery);
  if (known.length === 0) return null;
  return (
    <Row gap="xs" wrap="nowrap" role="group" aria-label={t('groups.byField')}>
      <Select
        size={size}
        aria-label={t('groups.byField')}
        placeholder={t('groups.byField')}
        data={known.map(({ name }) => name)}
        value={field === '' ? null : field}
        onChange={(name) => setField(name ?? '')}
        clearable
        clearButtonProps={{ 'aria-label': t('groups.anyField') }}
        w={160}
      />
      {field !== '' && (
        <TextInput
          size={size}
          aria-label={t('groups.valueOf', { field })}
          placeholder={t('groups.withoutValue')}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          w={160}
        />
      )}
    </Row>
  );
}
