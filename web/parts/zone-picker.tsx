import { isOptionsGroup, Select, type ComboboxItem, type ComboboxParsedItem, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { timeZonesQuery } from '../api/time-zones.ts';
import { findChoice, findZones, zoneChoices } from '../format/zone-choices.ts';
import { words } from '../words/words.ts';

/** Picks one of the service's zones by city or country. Typing replaces the current text. */
export function ZonePicker({
  value,
  onChange,
  ...props
}: { value: string; onChange: (zone: string) => void } & Pick<
  SelectProps,
  'description' | 'inputWrapperOrder' | 'error'
>) {
  const { data: offered } = useQuery(timeZonesQuery);
  // Until the service has answered, the current zone is the only choice.
  const choices = useMemo(() => zoneChoices(offered ?? [value]), [offered, value]);
  return (
    <Select
      {...props}
      label={words.fields.time_zone}
      data={choices}
      value={findChoice(choices, value)}
      // Also fires for the current zone under another name.
      onOptionSubmit={onChange}
      onFocus={(event) => event.currentTarget.select()}
      searchable
      filter={({ options, search }) => findZones(options.filter(isItem), search)}
      allowDeselect={false}
      nothingFoundMessage={words.noZone}
    />
  );
}

function isItem(option: ComboboxParsedItem): option is ComboboxItem {
  return !isOptionsGroup(option);
}
