import { Button, FileButton, Group as Row, Modal, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { LIBRARY_KEY, libraryQuery, uploadFile, type LibraryFile } from '../api/library.ts';
import type { Data } from '../api/operations.ts';
import { fromLibrary, type DraftFile } from '../compose/draft-files.ts';
import { fileSize } from '../format/numbers.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorAlert, ErrorText } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { notifyError } from '../parts/notify.ts';
import { RowsSkeleton } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { t } from '../i18n/translate.ts';
import { drawStill } from './draw-still.ts';
import { FileRow } from './file-row.tsx';

type Uploaded = Data<'media/upload'>;

/** 64 MiB (contract §9). Pictures and sounds have a lower limit, which the service knows. */
const UPLOAD_LIMIT_BYTES = 64 * 1024 * 1024;
const WAIT_MS = 200;

/** The files of the workspace: to upload, to choose for a post (`room` at most), and to delete. */
export default function LibraryDialog({
  opened,
  close,
  room,
  choose,
}: {
  opened: boolean;
  close: () => void;
  room: number;
  choose: (files: DraftFile[]) => void;
}) {
  const [chosen, setChosen] = useState<readonly DraftFile[]>([]);
  const toggle = (file: DraftFile) =>
    setChosen((before) =>
      before.some((one) => one.media_id === file.media_id)
        ? before.filter((one) => one.media_id !== file.media_id)
        : [...before, file],
    );
  const leave = () => {
    setChosen([]);
    close();
  };
  const take = () => {
    choose([...chosen]);
    leave();
  };
  return (
    <Modal opened={opened} onClose={leave} title={t('library.title')} size="lg">
      <Stack gap="sm">
        <UploadButton onUploaded={toggle} />
        <Files chosen={chosen} toggle={toggle} isFull={chosen.length >= room} />
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={leave}>
            {t('common.back')}
          </Button>
          <Button disabled={chosen.length === 0 || chosen.length > room} onClick={take}>
            {t('library.choose', { files: chosen.length })}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

/** Gives a film that has none a still, if this browser can decode it. The service cannot. */
async function withStill(file: File, uploaded: Uploaded): Promise<Uploaded> {
  if (uploaded.kind !== 'video' || uploaded.has_still) return uploaded;
  const still = await drawStill(file);
  if (still === undefined) return uploaded;
  return call('media/set-still', { media_id: uploaded.media_id, still }).catch((error: unknown) => {
    // The film was uploaded, and can be sent without it.
    notifyError(error);
    return uploaded;
  });
}

function UploadButton({ onUploaded }: { onUploaded: (file: DraftFile) => void }) {
  const client = useQueryClient();
  const uploading = useMutation({
    async mutationFn(files: readonly File[]) {
      const large = files.find((file) => file.size > UPLOAD_LIMIT_BYTES);
      if (large) throw new Error(t('compose.fileTooLarge', { limit: fileSize(UPLOAD_LIMIT_BYTES) }));
      // One after the other: the service takes two of a user at a time.
      for (const file of files) onUploaded(fromLibrary(await withStill(file, await uploadFile(file))));
    },
    onSettled: () => client.invalidateQueries({ queryKey: LIBRARY_KEY }),
  });
  return (
    <div>
      <FileButton multiple onChange={(files) => files.length > 0 && uploading.mutate(files)}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            loading={uploading.isPending}
          >
            {t('library.upload')}
          </Button>
        )}
      </FileButton>
      <Text size="xs" c="dimmed" mt={4}>
        {t('library.uploadHint', { limit: fileSize(UPLOAD_LIMIT_BYTES) })}
      </Text>
      <ErrorText error={uploading.error} />
    </div>
  );
}

function Files({
  chosen,
  toggle,
  isFull,
}: {
  chosen: readonly DraftFile[];
  toggle: (file: DraftFile) => void;
  isFull: boolean;
}) {
  const client = useQueryClient();
  const [search, setSearch] = useState('');
  const [settled] = useDebouncedValue(search, WAIT_MS);
  const found = useInfiniteQuery(libraryQuery(settled));
  const deleting = useMutation({
    mutationFn: ({ media_id }: LibraryFile) => call('media/delete-media', { media_id }),
    onError: notifyError,
    onSettled: () => client.invalidateQueries({ queryKey: LIBRARY_KEY }),
  });
  const files = found.data?.pages.flatMap((page) => page.files) ?? [];
  if (found.error) return <ErrorAlert error={found.error} retry={() => void found.refetch()} />;
  return (
    <Stack gap="xs">
      <SearchField label={t('library.search')} value={search} onSearch={setSearch} />
      {found.isPending && <RowsSkeleton rows={3} height={56} />}
      {found.isSuccess && files.length === 0 && (
        <Empty title={t('library.empty')} sample="files">
          {t('library.emptyHint')}
        </Empty>
      )}
      {files.map((file) => {
        const isChosen = chosen.some((one) => one.media_id === file.media_id);
        return (
          <FileRow
            key={file.media_id}
            file={file}
            isChosen={isChosen}
            isDisabled={isFull && !isChosen}
            toggle={() => toggle(fromLibrary(file))}
            remove={() => deleting.mutate(file)}
          />
        );
      })}
      <LoadMoreButton of={found} />
    </Stack>
  );
}
