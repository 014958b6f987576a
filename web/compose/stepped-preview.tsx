import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Icon } from '../parts/icons.tsx';
import { findText, t } from '../i18n/translate.ts';
import { ballotProblems, isBallot, toBallotBody } from './ballot.ts';
import { toMedia } from './draft-files.ts';
import { scheduleOf } from './campaign-body.ts';
import type { Draft, PickedGroup } from './draft.ts';
import { languageName, MAIN, useLanguages } from './languages.ts';
import { isComplete } from './use-check.ts';
import { usePreview, type Preview, type PreviewedExtras } from './use-preview.ts';

/**
 * A post with fields or several languages in one group after the other, from the first that gets the text in `language`. `children` shows it in
 * the group.
 */
export function SteppedPreview({
  draft,
  text,
  language,
  hasFile,
  lacking,
  children,
}: {
  draft: Draft;
  text: string;
  language: string;
  hasFile: boolean;
  /** Ids of groups without a value. */
  lacking?: readonly number[] | undefined;
  children: (filled: Draft, text: string) => ReactNode;
}) {
  const { groups, withFields } = draft;
  // What a poll or an event takes the place of stays in the draft.
  const { html, translations } = isBallot(draft) ? { html: '', translations: [] } : draft;
  const languages = useLanguages(translations, { isEnabled: translations.length > 0 });
  const isInLanguage = ({ group_metadata_id: id }: PickedGroup) => (languages?.textOf(id) ?? MAIN) === language;
  const [chosen, choose] = useState<number>();
  // Groups may have been taken away since. Before the first: none gets this text.
  const at = Math.min(chosen ?? groups.findIndex(isInLanguage), groups.length - 1);
  const group = groups[at];
  const { group_metadata_id: groupId } = group ?? {};
  const extras = extrasOf(draft);
  const schedule = draft.isScheduled && isComplete(draft) ? scheduleOf(draft) : undefined;
  const { preview } = usePreview(html, { hasFile, withFields, translations, groupId, extras, schedule });
  const isLacking = (index: number) => lacking?.includes(groups[index]?.group_metadata_id ?? 0);
  const next = groups.map((_, index) => (at + 1 + index) % groups.length).find(isLacking);
  const { unfit } = preview;
  const step = (by: number, label: string, icon: 'left' | 'right') => (
    <ActionIcon
      variant="default"
      aria-label={label}
      title={label}
      disabled={groups[at + by] === undefined}
      onClick={() => choose(at + by)}
    >
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="center">
        {step(-1, t('compose.fields.previous'), 'left')}
        <Text size="sm" aria-live="polite">
          {group
            ? t('compose.fields.position', { group: at + 1, groups: groups.length })
            : t('compose.languages.nobody', { language: languageName(language) })}
        </Text>
        {step(1, t('compose.fields.next'), 'right')}
        {next !== undefined && (
          <Button size="compact-sm" variant="default" onClick={() => choose(next)}>
            {t('compose.fields.nextLacking')}
          </Button>
        )}
      </Group>
      {unfit && (
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          {findText(`failures.codes.${unfit.code}`, unfit.params ?? {}) ?? unfit.message}
        </Text>
      )}
      {children(fill({ ...draft, groups: group ? [group] : [] }, preview.in_group), group ? preview.text : text)}
    </Stack>
  );
}

/** What of the post has fields beside its text. A poll or an event that is still being written keeps its placeholders. */
function extrasOf(draft: Draft): PreviewedExtras {
  if (isBallot(draft)) return ballotProblems(draft).length > 0 ? {} : toBallotBody(draft);
  const { files, card } = draft;
  const words = card && { url: card.url, title: card.title, description: card.description };
  return { ...(files.length > 0 && { media: toMedia(files) }), ...(words && { link_preview: words }) };
}

/** Returns the draft as the service has filled it for a group. */
function fill(draft: Draft, said: Preview['in_group']): Draft {
  if (!said) return draft;
  const files = draft.files.map((file, index) => {
    const { caption = file.caption, file_name: name = file.name } = said.media?.[index] ?? {};
    return { ...file, caption, name };
  });
  const card = draft.card && { ...draft.card, ...said.link_preview };
  return { ...draft, files, card, poll: said.poll ?? draft.poll, event: said.event ?? draft.event };
}
