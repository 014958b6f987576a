import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dateName } from '../format/time.ts';
import { t } from '../i18n/translate.ts';
import { countryChoices, countryOfZone, listHolidays, loadHolidays } from './public-holidays.ts';

/** Lists the public holidays of a country that fall on the days of the schedule, and leaves them out at once. */
export function SkipHolidays({
  days,
  skipped,
  zone,
  onSkip,
}: {
  days: readonly string[];
  skipped: readonly string[];
  zone: string;
  onSkip: (dates: readonly string[]) => void;
}) {
  const { data: countries = {} } = useQuery({
    queryKey: ['public-holidays'],
    queryFn: loadHolidays,
    staleTime: Infinity,
  });
  const [chosen, setChosen] = useState<string | null>(null);
  const codes = Object.keys(countries);
  const country = chosen ?? countryOfZone(zone, codes);
  const holidays = country === null ? [] : listHolidays(countries[country] ?? {}, days);
  const left = [...new Set(holidays.map(({ date }) => date))].filter((date) => !skipped.includes(date));
  return (
    <Stack gap="xs" mt="xs">
      <Select
        label={t('compose.skip.country')}
        data={countryChoices(codes)}
        value={country}
        onChange={setChosen}
        searchable
        allowDeselect={false}
        maw={320}
      />
      {country !== null && (
        <Text size="sm" aria-live="polite">
          {holidays.length === 0
            ? t('compose.skip.noHolidays')
            : holidays.map(({ date, name }) => `${dateName(date)} ${name}`).join(' · ')}
        </Text>
      )}
      {left.length > 0 && (
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => onSkip(left)}>
            {t('compose.skip.leaveHolidays', { days: left.length })}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
