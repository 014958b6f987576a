import { SegmentedControl, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';

const SCHEMES: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={words.settings.appearance}>
      <SegmentedControl
        aria-label={words.settings.appearance}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
        data={SCHEMES.map((value) => ({ value, label: words.settings.schemes[value] }))}
      />
    </Section>
  );
}
