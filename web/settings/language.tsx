import { Select, Text } from '@mantine/core';
import { Section } from '../parts/page.tsx';
import { isLanguage, storeLanguage, storedLanguage, LANGUAGES } from '../words/languages.ts';
import { words } from '../words/words.ts';

/** Stands for the browser's language. */
const BROWSER_LANGUAGE = 'browser';

/** The language of the dashboard in this browser. Changing it reloads the page. */
export function LanguageSelect() {
  const choose = (value: string | null) => {
    storeLanguage(value !== null && isLanguage(value) ? value : undefined);
    location.reload();
  };
  return (
    <Section title={words.settings.language}>
      <Select
        aria-label={words.settings.language}
        data={[
          { value: BROWSER_LANGUAGE, label: words.settings.languageOfBrowser },
          ...Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name })),
        ]}
        value={storedLanguage() ?? BROWSER_LANGUAGE}
        onChange={choose}
        allowDeselect={false}
        w={260}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {words.settings.languageNote}
      </Text>
    </Section>
  );
}
