import { Select, Text } from '@mantine/core';
import { isLanguage, LANGUAGES } from '../../src/platform/i18n/languages.ts';
import { call } from '../api/call.ts';
import { currentLanguage, storedLanguage, storeLanguage } from '../i18n/languages.ts';
import { t } from '../i18n/translate.ts';
import { notifyError } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';

/** Stands for no choice: the browser's language is followed. */
const BROWSER_LANGUAGE = 'browser';

/** The language of the dashboard in this browser, and of the user's mails and notices. It is loaded with the page. */
export function LanguageSelect() {
  const choose = (value: string | null) => {
    storeLanguage(value !== null && isLanguage(value) ? value : undefined);
    call('user/update_profile', { language: currentLanguage() }).then(() => location.reload(), notifyError);
  };
  return (
    <Section title={t('settings.language')}>
      <Select
        aria-label={t('settings.language')}
        data={[
          { value: BROWSER_LANGUAGE, label: t('settings.languageOfBrowser') },
          ...Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name })),
        ]}
        value={storedLanguage() ?? BROWSER_LANGUAGE}
        onChange={choose}
        allowDeselect={false}
        w={260}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {t('settings.languageNote')}
      </Text>
    </Section>
  );
}
