import { Anchor, Button, Group, Select, Text } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { locale, t } from '../i18n/translate.ts';
import type { Draft } from './draft.ts';
import { languageName, type useLanguages } from './languages.ts';

const MOST = 20;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** A button beside others (`children`), and after it a list of languages: those of the groups come first. */
export function AddLanguage({
  draft: { translations, groups },
  languages,
  add,
  isAdding,
  setAdding,
  children,
}: {
  draft: Pick<Draft, 'translations' | 'groups'>;
  languages: ReturnType<typeof useLanguages>;
  add: (language: string) => void;
  isAdding: boolean;
  setAdding: (isAdding: boolean) => void;
  children: ReactNode;
}) {
  // Of its own, the field would forget what was typed whenever this renders with other choices.
  const [searched, search] = useState('');
  const begin = () => {
    search('');
    setAdding(true);
  };
  const all = useMemo(() => (isAdding ? listLanguages() : []), [isAdding]);
  if (!isAdding)
    return (
      <Group gap="xs">
        {translations.length < MOST && (
          <Button size="compact-sm" variant="subtle" onClick={begin}>
            {t('compose.languages.add')}
          </Button>
        )}
        {children}
      </Group>
    );
  const taken = new Set(translations.map(({ language }) => language));
  const { known = new Map<number, string>(), hasField = true } = languages ?? {};
  const ofPicked = groups.map((group) => known.get(group.group_metadata_id) ?? '');
  const own = new Set([...ofPicked, ...known.values()].filter((language) => language !== '' && !taken.has(language)));
  const others = all.filter((language) => !own.has(language) && !taken.has(language));
  const choices = (tags: readonly string[]) => tags.map((value) => ({ value, label: languageName(value) }));
  return (
    <div>
      <Select
        label={t('compose.languages.choose')}
        maw={320}
        searchable
        searchValue={searched}
        onSearchChange={search}
        ref={focus}
        limit={60}
        data={[
          { group: t('compose.languages.ofGroups'), items: choices([...own]) },
          { group: t('compose.languages.others'), items: choices(others) },
        ]}
        onChange={(language) => {
          setAdding(false);
          if (language !== null) add(language);
        }}
        onKeyDown={({ key }) => key === 'Escape' && setAdding(false)}
      />
      {!hasField && (
        <Text size="sm" c="dimmed" mt={4}>
          {t('compose.languages.noField')}{' '}
          <Anchor component={Link} href="/groups/fields" size="sm">
            {t('groupFields.add')}
          </Anchor>
        </Text>
      )}
    </div>
  );
}

const focus = (input: HTMLInputElement | null) => input?.focus();

/** Returns the tags of languages of two letters that have a name, by it. Of two with the same name the first counts. */
function listLanguages(): string[] {
  const names = new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const known = codes.filter((code) => names.of(code) !== undefined && Intl.getCanonicalLocales(code)[0] === code);
  const byName = new Map(known.toReversed().map((code) => [languageName(code), code]));
  return [...byName.keys()]
    .toSorted((one, other) => one.localeCompare(other, locale))
    .map((name) => byName.get(name) ?? '');
}
