import { isOptionsGroup, Select, type ComboboxItem, type ComboboxParsedItem, type SelectProps } from '@mantine/core';
import { findZones, zoneChoices } from '../format/zones.ts';
import { words } from '../words/words.ts';

/** Picks a zone by its city or its country. Typing replaces what is there. */
export function ZonePicker({
  value,
  onChange,
  ...props
}: { value: string; onChange: (zone: string) => void } & Pick<
  SelectProps,
  'description' | 'inputWrapperOrder' | 'error'
>) {
  return (
    <Select
      {...props}
      label={words.fields.time_zone}
      data={zoneChoices(value)}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
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
