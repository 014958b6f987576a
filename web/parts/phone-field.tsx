import { Stack, TextInput, type TextInputProps } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { isNational } from '../format/phone.ts';
import { PartSkeleton } from './page.tsx';
import { lazyWithRetry } from './lazy-with-retry.ts';

/** With the numbers of the world: only who leaves the country out needs it. */
const PhoneCountry = lazy(lazyWithRetry(() => import('./phone-country.tsx')));

interface PhoneFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'defaultValue' | 'type'> {
  value?: string;
  onChange: (number: string) => void;
  /** A number that was there before, and is taken as it is. */
  known?: string;
}

/**
 * A phone number as people type it. Where it leaves the country out, that is asked for, and what is handed on is the whole number, which
 * is shown before.
 */
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
