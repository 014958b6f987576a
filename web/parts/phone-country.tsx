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

/** Asks for the country of a national number, the browser's by default, and passes on the international number. */
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

/** Returns the international format; undefined if it is no number of that country. */
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
