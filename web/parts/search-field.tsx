import { TextInput, type TextInputProps } from '@mantine/core';
import { Icon } from './icons.tsx';

export function SearchField({
  value,
  onSearch,
  label,
  ...props
}: { value: string; onSearch: (text: string) => void; label: string } & Omit<TextInputProps, 'value' | 'onChange'>) {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={value}
      onChange={(event) => onSearch(event.currentTarget.value)}
      {...props}
    />
  );
}
