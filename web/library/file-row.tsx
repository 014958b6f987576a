import { ActionIcon, Checkbox, Group as Row, Text } from '@mantine/core';
import type { LibraryFile } from '../api/library.ts';
import { mediaName } from '../format/media-name.ts';
import { count, fileSize } from '../format/numbers.ts';
import boxClasses from '../parts/box.module.css';
import { Icon } from '../parts/icons.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import { FileThumbnail } from './file-thumbnail.tsx';

/** A file of the library with its uses. One that is in use cannot be deleted. */
export function FileRow({
  file,
  isChosen,
  isDisabled,
  toggle,
  remove,
}: {
  file: LibraryFile;
  isChosen: boolean;
  isDisabled: boolean;
  toggle: () => void;
  remove: () => void;
}) {
  const name = file.name ?? mediaName(file.mime);
  const uses = file.campaigns.length + file.drafts.length + file.templates.length;
  const isInUse =
    file.drafts.length > 0 || file.templates.length > 0 || file.campaigns.some(({ status }) => !ENDED.has(status));
  return (
    <Row gap="sm" wrap="nowrap">
      <Checkbox aria-label={name} checked={isChosen} disabled={isDisabled} onChange={toggle} />
      <FileThumbnail file={file} />
      <div className={boxClasses.grow}>
        <Text size="sm" className={textClasses.clip}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {[fileSize(file.size), ...describeFilm(file), t('library.uses', { uses })].join(' · ')}
        </Text>
      </div>
      <ActionIcon
        variant="subtle"
        disabled={isInUse}
        aria-label={t('library.delete', { name })}
        title={isInUse ? t('library.inUse') : t('library.delete', { name })}
        onClick={remove}
      >
        <Icon name="trash" size={16} />
      </ActionIcon>
    </Row>
  );
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'completed_with_errors', 'cancelled']);

function describeFilm({ seconds }: LibraryFile): string[] {
  return seconds === null ? [] : [t('library.seconds', { seconds: count(seconds) })];
}
