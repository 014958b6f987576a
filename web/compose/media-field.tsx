import '@mantine/dropzone/styles.css';
import { Button, Group, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { fileSize } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { useObjectUrl } from '../whatsapp/bubble.tsx';
import { words } from '../words/words.ts';
import { FILE_LIMIT_BYTES } from './file-limit.ts';

export default function MediaField({
  file,
  attach,
  refuse,
}: {
  file: File | null;
  attach: (file: File | null) => void;
  refuse: (why: string) => void;
}) {
  if (file)
    return (
      <Group className="attached" gap="sm" wrap="nowrap">
        <Thumbnail file={file} />
        <Text size="sm" className="grow clip">
          {file.name}
        </Text>
        <Text size="sm" c="dimmed" className="nowrap">
          {fileSize(file.size)}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={() => attach(null)}>
          {words.compose.removeFile}
        </Button>
      </Group>
    );
  return (
    <Dropzone
      onDrop={([dropped]) => attach(dropped ?? null)}
      onReject={() => refuse(words.compose.fileTooLarge(fileSize(FILE_LIMIT_BYTES)))}
      maxSize={FILE_LIMIT_BYTES}
      multiple={false}
      className="dropzone"
      aria-label={words.compose.addFile}
      inputProps={{ 'aria-label': words.compose.addFile }}
    >
      <Group gap="sm" justify="center">
        <Icon name="clip" />
        <Text size="sm" ta="center">
          {words.compose.addFile}
        </Text>
        <Text size="xs" c="dimmed">
          {words.compose.fileHint(fileSize(FILE_LIMIT_BYTES))}
        </Text>
      </Group>
    </Dropzone>
  );
}

function Thumbnail({ file }: { file: File }) {
  const show = useObjectUrl(file);
  if (!file.type.startsWith('image/')) return <Icon name="file" />;
  return <img ref={show} alt="" className="thumbnail" />;
}
