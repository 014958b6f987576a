import '@mantine/dropzone/styles.layer.css';
import { Button, Group, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { isBrowserPicture, mediaName } from '../format/media-name.ts';
import { fileSize } from '../format/numbers.ts';
import boxClasses from '../parts/box.module.css';
import { Icon } from '../parts/icons.tsx';
import textClasses from '../parts/text.module.css';
import { useObjectUrl } from '../whatsapp/use-object-url.ts';
import { t } from '../i18n/translate.ts';
import { ACCEPTED_FILES, FILE_LIMIT_BYTES, fileProblem } from './check-file.ts';
import classes from './media-field.module.css';

export default function MediaField({
  file,
  attach,
  onReject,
}: {
  file: File | null;
  attach: (file: File | null) => void;
  onReject: (message: string) => void;
}) {
  if (file)
    return (
      <Group className={boxClasses.inset} gap="sm" wrap="nowrap">
        <Thumbnail file={file} />
        <Text size="sm" className={`${boxClasses.grow} ${textClasses.clip}`}>
          {file.type.startsWith('image/') ? mediaName(file.type) : file.name}
        </Text>
        <Text size="sm" c="dimmed" className={textClasses.nowrap}>
          {fileSize(file.size)}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={() => attach(null)}>
          {t('compose.removeFile')}
        </Button>
      </Group>
    );
  return (
    <Dropzone
      onDrop={([dropped]) => attach(dropped ?? null)}
      accept={ACCEPTED_FILES}
      onReject={([rejected]) =>
        rejected && onReject(fileProblem(rejected.file) ?? t('compose.fileType', { name: rejected.file.name }))
      }
      multiple={false}
      aria-label={t('compose.addFile')}
      inputProps={{ 'aria-label': t('compose.addFile') }}
    >
      <Group gap="sm" justify="center">
        <Icon name="clip" />
        <Text size="sm" ta="center">
          {t('compose.addFile')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('compose.fileHint', { limit: fileSize(FILE_LIMIT_BYTES) })}
        </Text>
      </Group>
    </Dropzone>
  );
}

function Thumbnail({ file }: { file: File }) {
  const show = useObjectUrl(file);
  if (!isBrowserPicture(file.type)) return <Icon name="file" />;
  return <img ref={show} alt="" className={classes.thumbnail} />;
}
