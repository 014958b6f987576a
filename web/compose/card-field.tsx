import { Button, FileButton, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { problemText } from '../format/problem.ts';
import { t } from '../i18n/translate.ts';
import { CAPTION_LIMIT } from '../../src/content/text/caption.ts';
import { shrinkPicture, type Card } from './card.ts';
import { useCard } from './use-card.ts';
import type { Preview } from './use-preview.ts';

const TITLE_LIMIT = 300;
const DESCRIPTION_LIMIT = 1_000;

interface CardFieldProps {
  card: Card | null;
  change: (card: Card | null) => void;
  preview: Preview;
  isSettled: boolean;
  /** Below a file phones show no preview, unless the text is too long for it. */
  hasFile: boolean;
  /** Default is `true`. If this is false, nothing is fetched until the author asks: opening a form must not change it. */
  isAutomatic?: boolean;
}

/** The link preview of a post: fetched, rewritten by the author, or removed. Nothing while the text has no link. */
export function CardField({ isAutomatic = true, hasFile, ...props }: CardFieldProps) {
  const [isAsked, setAsked] = useState(false);
  const isShown = !hasFile || props.preview.length > CAPTION_LIMIT;
  const isOn = isShown && (isAutomatic || isAsked);
  const { attached, link, isFetching, reason, error, fetchAgain } = useCard({ ...props, isAutomatic: isOn });
  const { change } = props;
  if (link === null || !isShown) return null;
  const write = () => change({ url: link, title: link.slice(0, TITLE_LIMIT), description: '', image: null });
  if (attached === null)
    return (
      <Group gap="xs" role="status">
        <Text size="sm" c="dimmed">
          {isFetching ? t('compose.card.fetching', { link }) : error ? problemText(error) : bareText(reason)}
        </Text>
        {!isFetching && <Choices again={isOn ? fetchAgain : () => setAsked(true)} isFirst={!isOn} write={write} />}
      </Group>
    );
  if (attached.title === '')
    return (
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {t('compose.card.removed')}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            setAsked(true);
            change(null);
          }}
        >
          {t('compose.card.restore')}
        </Button>
      </Group>
    );
  return <CardForm card={attached} change={change} />;
}

function Choices({ again, isFirst, write }: { again: () => void; isFirst: boolean; write: () => void }) {
  return (
    <Group gap="xs" ml={-8}>
      <Button size="compact-sm" variant="subtle" onClick={again}>
        {isFirst ? t('compose.card.restore') : t('common.tryAgain')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={write}>
        {t('compose.card.write')}
      </Button>
    </Group>
  );
}

function bareText(reason: 'disabled' | 'no_answer' | 'no_card' | null): string {
  switch (reason) {
    case 'disabled':
      return t('compose.card.disabled');
    case 'no_answer':
      return t('compose.card.noAnswer');
    case 'no_card':
      return t('compose.card.noCard');
    default:
      return t('compose.card.bare');
  }
}

function CardForm({ card, change }: { card: Card; change: (card: Card | null) => void }) {
  const [isUnreadable, setUnreadable] = useState(false);
  const takePicture = (file: File | null) => {
    if (!file) return;
    shrinkPicture(file).then(
      (image) => {
        setUnreadable(false);
        change({ ...card, image });
      },
      () => setUnreadable(true),
    );
  };
  return (
    <Stack gap="xs" role="group" aria-label={t('compose.card.label')}>
      <TextInput
        label={t('compose.card.title')}
        description={t('compose.card.hint')}
        maxLength={TITLE_LIMIT}
        value={card.title}
        onChange={(event) => change({ ...card, title: event.currentTarget.value || ' ' })}
      />
      <Textarea
        label={t('compose.card.description')}
        autosize
        maxRows={4}
        maxLength={DESCRIPTION_LIMIT}
        value={card.description}
        onChange={(event) => change({ ...card, description: event.currentTarget.value })}
      />
      <Group gap="xs">
        <FileButton accept="image/*" onChange={takePicture}>
          {(props) => (
            <Button {...props} size="compact-sm" variant="default">
              {t(card.image ? 'compose.card.otherPicture' : 'compose.card.picture')}
            </Button>
          )}
        </FileButton>
        {card.image && (
          <Button size="compact-sm" variant="subtle" onClick={() => change({ ...card, image: null })}>
            {t('compose.card.noPicture')}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => change({ ...card, title: '', description: '', image: null })}
        >
          {t('compose.card.remove')}
        </Button>
      </Group>
      {isUnreadable && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {t('compose.card.unreadable')}
        </Text>
      )}
    </Stack>
  );
}
