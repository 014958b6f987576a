import { ActionIcon, Button, Group as Row, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { CAPTION_LIMIT } from '../../src/content/text/caption.ts';
import { fileSize } from '../format/numbers.ts';
import { mediaName } from '../format/media-name.ts';
import { FileThumbnail } from '../library/file-thumbnail.tsx';
import boxClasses from '../parts/box.module.css';
import { Icon } from '../parts/icons.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { t } from '../i18n/translate.ts';
import { MOST_FILES, type DraftFile } from './draft-files.ts';

const LibraryDialog = lazy(lazyWithRetry(() => import('../library/library-dialog.tsx')));

const NAME_LIMIT = 200;

/** The files of a post that takes them from the library, in their order, and the way to choose more. */
export default function FilesField({
  files,
  change,
}: {
  files: readonly DraftFile[];
  change: (files: readonly DraftFile[]) => void;
}) {
  const [isOpen, opened] = useDisclosure(false);
  const replace = (index: number, next: Partial<DraftFile>) =>
    change(files.map((file, at) => (at === index ? { ...file, ...next } : file)));
  return (
    <Stack gap="xs">
      {files.map((file, index) => (
        <FileEntry
          // The same file may be there twice.
          // oxlint-disable-next-line react/no-array-index-key
          key={`${file.media_id} ${index}`}
          file={file}
          isFirst={index === 0}
          replace={(next) => replace(index, next)}
          moveUp={() => change(moveUp(files, index))}
          remove={() => change(files.filter((_, at) => at !== index))}
        />
      ))}
      <Row>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="clip" size={16} />}
          disabled={files.length >= MOST_FILES}
          onClick={opened.open}
        >
          {t('library.open')}
        </Button>
      </Row>
      {isOpen && (
        <Suspense fallback={null}>
          <LibraryDialog
            opened
            close={opened.close}
            room={MOST_FILES - files.length}
            choose={(more) => change([...files, ...more])}
          />
        </Suspense>
      )}
    </Stack>
  );
}

function FileEntry({
  file,
  isFirst,
  replace,
  moveUp: up,
  remove,
}: {
  file: DraftFile;
  isFirst: boolean;
  replace: (next: Partial<DraftFile>) => void;
  moveUp: () => void;
  remove: () => void;
}) {
  const kind = mediaName(file.mime);
  const isDocument = kind !== t('media.image') && kind !== t('media.video');
  const shown = file.name ?? kind;
  const about = `${kind} · ${fileSize(file.size)}`;
  return (
    <Stack className={boxClasses.inset} gap={6}>
      <Row gap="sm" wrap="nowrap">
        <FileThumbnail file={file} />
        {isDocument ? (
          <TextInput
            className={boxClasses.grow}
            size="xs"
            aria-label={t('library.fileName', { name: shown })}
            description={about}
            value={file.name ?? ''}
            maxLength={NAME_LIMIT}
            onChange={(event) => replace({ name: event.currentTarget.value || null })}
          />
        ) : (
          // Members see no name of a picture or a film.
          <Text className={boxClasses.grow} size="sm">
            {about}
          </Text>
        )}
        <ActionIcon variant="subtle" disabled={isFirst} aria-label={t('library.moveUp', { name: shown })} onClick={up}>
          <Icon name="up" size={16} />
        </ActionIcon>
        <ActionIcon variant="subtle" aria-label={t('library.remove', { name: shown })} onClick={remove}>
          <Icon name="trash" size={16} />
        </ActionIcon>
      </Row>
      {!file.mime.startsWith('audio/') && (
        <TextInput
          size="xs"
          aria-label={t('library.caption', { name: shown })}
          placeholder={t(isFirst ? 'library.captionOfFirst' : 'library.captionOfOther')}
          value={file.caption}
          maxLength={CAPTION_LIMIT}
          onChange={(event) => replace({ caption: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

function moveUp(files: readonly DraftFile[], index: number): DraftFile[] {
  const [file] = files.slice(index, index + 1);
  const others = files.filter((_, at) => at !== index);
  return file ? others.toSpliced(index - 1, 0, file) : [...files];
}
