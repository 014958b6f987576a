import { Stack, TextInput, type TextInputProps } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { isNational } from '../format/phone.ts';
import { PartSkeleton } from './page.tsx';
import { lazyWithRetry } from './lazy-with-retry.ts';

/** Loads libphonenumber's metadata: only needed for numbers without a country code. */
const PhoneCountry = lazy(lazyWithRetry(() => import('./phone-country.tsx')));

interface PhoneFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'defaultValue' | 'type'> {
  value?: string;
  onChange: (number: string) => void;
  /** The stored number, which is accepted as it is. */
  known?: string;
}

/** A phone number field. For a national number it asks for the country, shows the international number and passes that on. */
export function PhoneField({ value = '', onChange, known, ...input }: PhoneFieldProps) {
  const [text, setText] = useState(value);
  return (
    <Stack gap={6}>
      <TextInput
        {...input}
        type="tel"
        value={text}
        onChange={({ currentTarget: { value: typed } }) => {
          setText(typed);
          onChange(typed);
        }}
      />
      {isNational(text) && text !== known && (
        <Suspense fallback={<PartSkeleton height={80} />}>
          <PhoneCountry text={text} onComplete={onChange} />
        </Suspense>
      )}
    </Stack>
  );
}
