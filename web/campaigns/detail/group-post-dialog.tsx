import { Modal, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Campaign, GroupRow } from '../../api/operations.ts';
import { shownText } from '../../compose/reach.ts';
import { clockTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { fieldsQuery } from '../../groups/fields/field-queries.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { PartSkeleton } from '../../parts/page.tsx';
import { Post } from '../../whatsapp/bubble.tsx';
import { Phone } from '../../whatsapp/phone.tsx';
import { findMessage, locale, t } from '../../i18n/translate.ts';

/** What a post with fields said to one group in its last run, and the values that it was given. */
export default function GroupPostDialog({
  post,
  group,
  close,
}: {
  post: Campaign;
  group: GroupRow;
  close: () => void;
}) {
  const { campaign_id } = post;
  const { group_metadata_id, sent } = group;
  const found = useQuery({
    queryKey: ['campaign', campaign_id, 'in group', group_metadata_id, sent],
    queryFn: async ({ signal }) =>
      (await call('venom/get-campaign', { campaign_id, group_metadata_id }, { signal })).in_group ?? null,
  });
  return (
    <Modal opened onClose={close} title={t('campaign.inGroup.title')}>
      {found.isPending && <PartSkeleton height={220} />}
      {found.isError && <ErrorAlert error={found.error} retry={() => void found.refetch()} />}
      {found.data === null && <Text size="sm">{t('campaign.inGroup.nothing')}</Text>}
      {found.data && <Said said={found.data} post={post} group={group} />}
    </Modal>
  );
}

type InGroup = NonNullable<Campaign['in_group']>;

function Said({ said, post, group }: { said: InGroup; post: Campaign; group: GroupRow }) {
  const zone = useZone();
  const mentionAll = post.mention_all && (group.mentions_left_out ?? 0) === 0;
  return (
    <Stack gap="md">
      {said.text === null ? (
        <Text size="sm">{t('campaign.inGroup.unfit')}</Text>
      ) : (
        <Phone name={group.group_name} kind={group.kind} participants={group.participants}>
          <Post
            text={shownText(said.text, { mentionAll })}
            media={post.media}
            files={post.files.map((file) => ({ ...file, ...wordsOf(file, said) }))}
            poll={said.poll}
            event={said.event}
            card={post.link_preview && { ...post.link_preview, ...said.link_preview }}
            time={clockTime(group.last_sent_at ?? post.created_at, zone)}
            kind={group.kind}
            isEdited={(group.corrected ?? 0) > 0}
          />
        </Phone>
      )}
      <Values of={said.values} />
    </Stack>
  );
}

/** The caption and the name of a file in the group. A post with one file may have its name beside it. */
function wordsOf({ media_id, caption, file_name }: Campaign['files'][number], { media, file_name: ofOne }: InGroup) {
  const own = media?.find((file) => file.media_id === media_id);
  return { caption: own?.caption ?? caption, file_name: own?.file_name ?? ofOne ?? file_name };
}

const NAMES = new Intl.Collator(locale, { sensitivity: 'base' });

/** The values by the names that the fields have now. */
function Values({ of: values }: { of: InGroup['values'] }) {
  const { data: fields = [] } = useQuery(fieldsQuery);
  const nameOf = (key: string) =>
    findMessage(`compose.fields.builtIn.${key}`) ??
    fields.find(({ name }) => NAMES.compare(name.trim(), key) === 0)?.name ??
    key;
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <Table variant="vertical" layout="fixed" aria-label={t('campaign.inGroup.values')}>
      <Table.Tbody>
        {entries.map(([key, value]) => (
          <Table.Tr key={key}>
            <Table.Th scope="row" dir="auto">
              {nameOf(key)}
            </Table.Th>
            <Table.Td dir="auto" style={{ overflowWrap: 'anywhere' }}>
              {value ?? t('common.unknown')}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
