import { SegmentedControl, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';

const SCHEMES: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={t('settings.appearance')}>
      <SegmentedControl
        aria-label={t('settings.appearance')}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
        data={SCHEMES.map((value) => ({ value, label: t(`settings.schemes.${value}`) }))}
      />
    </Section>
  );
}
