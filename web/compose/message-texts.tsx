import { Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { count } from '../format/numbers.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { t } from '../i18n/translate.ts';
import { AddLanguage } from './add-language.tsx';
import type { Draft } from './draft.ts';
import Editor from './editor.tsx';
import { languageName, MAIN, textIn, useLanguages, withText } from './languages.ts';

interface MessageTextsProps {
  draft: Pick<Draft, 'html' | 'translations' | 'withFields' | 'groups'>;
  update: (next: Partial<Draft>) => void;
  /** The language that is written in. */
  language: string;
  write: (language: string) => void;
  onFile: (file: File) => void;
}

/** The editor of the message, with a tab for each language once there are several. */
export default function MessageTexts({ draft, update, language, write, onFile }: MessageTextsProps) {
  const { translations, withFields, groups } = draft;
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<string>();
  const hasSeveral = translations.length > 0;
  const languages = useLanguages(translations, { isEnabled: hasSeveral || isAdding });
  const counts = Map.groupBy(groups, (group) => languages?.textOf(group.group_metadata_id));
  const editor = (
    <Editor
      key={language}
      html={textIn(draft, language)}
      onChange={(html) => update(withText(draft, language, html))}
      onFile={onFile}
      withFields={withFields}
      onField={() => update({ withFields: true })}
      isFocused={language === added}
      label={hasSeveral ? t('compose.languages.message', { language: nameOf(language) }) : t('compose.message')}
    />
  );
  const choose = (tab: string | null) => {
    setAdded(undefined);
    write(tab === null || tab === tabOf(MAIN) ? MAIN : tab);
  };
  const add = (next: string) => {
    update({ translations: [...translations, { language: next, html: '' }] });
    setAdded(next);
    write(next);
  };
  const remove = async () => {
    update({ translations: translations.filter((one) => one.language !== language) });
    write(MAIN);
  };
  const removal = t('compose.languages.remove', { language: nameOf(language) });
  return (
    <>
      {hasSeveral ? (
        <Tabs value={tabOf(language)} onChange={choose}>
          <Tabs.List aria-label={t('compose.languages.texts')} mb="xs">
            {[MAIN, ...translations.map((one) => one.language)].map((one) => (
              <Tabs.Tab key={one} value={tabOf(one)}>
                {languages && groups.length > 0
                  ? `${nameOf(one)} (${count(counts.get(one)?.length ?? 0)})`
                  : nameOf(one)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tabOf(language)}>
            {editor}
            {languages && groups.length > 0 && (
              <Receivers language={language} groups={counts.get(language)?.length ?? 0} />
            )}
          </Tabs.Panel>
        </Tabs>
      ) : (
        editor
      )}
      <AddLanguage {...{ draft, languages, add, isAdding, setAdding }}>
        {language !== MAIN && (
          <ConfirmButton title={removal} action={removal} act={remove} danger size="compact-sm">
            {t('compose.languages.removeNote')}
          </ConfirmButton>
        )}
      </AddLanguage>
    </>
  );
}

/** A name for a tab: no tab can be without. */
const tabOf = (language: string) => (language === MAIN ? 'main' : language);
const nameOf = (language: string) => (language === MAIN ? t('compose.languages.main') : languageName(language));

function Receivers({ language, groups }: { language: string; groups: number }) {
  if (language !== MAIN && groups > 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {language === MAIN
        ? t('compose.languages.rest', { groups })
        : t('compose.languages.nobody', { language: nameOf(language) })}
    </Text>
  );
}
