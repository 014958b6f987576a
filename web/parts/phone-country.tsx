import { Select, Text } from '@mantine/core';
import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/min';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { browserCountry } from '../format/phone.ts';
import { words } from '../words/words.ts';

/** Asks for the country of a number without one, at first the browser's, and hands the whole number on, as it is shown. */
export default function PhoneCountrySelect({
  text,
  onComplete,
}: {
  text: string;
  onComplete: (number: string) => void;
}) {
  const countries = useMemo(() => listCountries(), []);
  const [country, setCountry] = useState(() => countries.find(({ value }) => value === browserCountry())?.value);
  const whole = country && fullNumber(text, country);
  const handOn = useEffectEvent(onComplete);
  useEffect(() => handOn(whole ?? text), [text, whole]);
  return (
    <div>
      <Select
        label={words.phoneField.country}
        data={countries}
        value={country ?? null}
        onChange={(value) => setCountry(countries.find((one) => one.value === value)?.value)}
        searchable
        allowDeselect={false}
        limit={60}
      />
      <Text size="sm" mt={4} aria-live="polite" {...(!whole && { c: 'dimmed' })}>
        {whole ? words.phoneField.whole(whole) : words.phoneField.notYet}
      </Text>
    </div>
  );
}

/** As it is written everywhere in the world; undefined while it is none of that country. */
function fullNumber(text: string, country: CountryCode): string | undefined {
  const parsed = parsePhoneNumberFromString(text, country);
  return parsed?.isPossible() ? parsed.formatInternational() : undefined;
}

function listCountries(): Array<{ value: CountryCode; label: string }> {
  const names = new Intl.DisplayNames(words.locale, { type: 'region' });
  const named = getCountries().map((value) => ({
    value,
    label: words.phoneField.countryOf(names.of(value) ?? value, getCountryCallingCode(value)),
  }));
  return named.toSorted((one, other) => one.label.localeCompare(other.label, words.locale));
}
