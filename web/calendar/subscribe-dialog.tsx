import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { groupListsQuery } from '../api/queries.ts';
import { personName } from '../format/person-name.ts';
import { shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { NewLink, WorkingLinks } from '../parts/secret-links.tsx';
import { t } from '../i18n/translate.ts';

const LINKS = ['calendar-links'];

/** Creates a link to the plan for calendar programs, and revokes earlier ones. */
export default function SubscribeDialog({ close }: { close: () => void }) {
  const client = useQueryClient();
  const lists = useQuery(groupListsQuery).data?.group_lists ?? [];
  const [listId, setListId] = useState('');
  const creating = useMutation({
    mutationFn: () => call('venom/share-calendar', listId === '' ? {} : { group_list_id: Number(listId) }),
    onSuccess: () => client.invalidateQueries({ queryKey: LINKS }),
  });
  return (
    <Modal opened onClose={close} title={t('calendar.subscribeTitle')} size="lg">
      <Stack gap="md">
        <Text size="sm">{t('calendar.subscribeNote')}</Text>
        {creating.data === undefined ? (
          <Group gap="xs" align="flex-end">
            <NativeSelect
              label={t('groups.list')}
              value={listId}
              onChange={({ currentTarget }) => setListId(currentTarget.value)}
              data={[
                { value: '', label: t('groups.allGroups') },
                ...lists.map((list) => ({ value: String(list.group_list_id), label: list.name })),
              ]}
            />
            <Button loading={creating.isPending} onClick={() => creating.mutate()} data-autofocus>
              {t('report.createLink')}
            </Button>
          </Group>
        ) : (
          <NewLink path={creating.data.path} description={t('calendar.linkOnce')} />
        )}
        <ErrorText error={creating.error} />
        <Links />
      </Stack>
    </Modal>
  );
}

function Links() {
  const zone = useZone();
  const { data } = useQuery({
    queryKey: LINKS,
    queryFn: ({ signal }) => call('venom/list-calendar-links', {}, { signal }),
  });
  const links = data?.links.map(({ calendar_link_id: id, group_list: list, created_by: maker, created_at: at }) => ({
    id,
    name: list?.name ?? t('groups.allGroups'),
    about: `${t('report.madeBy', { name: personName(maker) })} · ${shortTime(at, zone)}`,
    revoke: () => call('venom/revoke-calendar-link', { calendar_link_id: id }),
  }));
  return <WorkingLinks links={links} queryKey={LINKS} />;
}
