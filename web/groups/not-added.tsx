import { Button, Group as Row, List, Stack, Text } from '@mantine/core';
import type { Data } from '../api/operations.ts';
import { InviteLink } from './invite-link.tsx';
import { t } from '../i18n/translate.ts';

type CreateGroupData = Data<'venom/create-group'>;

/** Who could not be added to a new group, and the link for them. */
export interface Created {
  not_added: NonNullable<CreateGroupData['not_added']>;
  invite_link: string | null;
}

/** After the creation of a group: who could not be added and why, and the link to send to them. */
export function NotAdded({
  name,
  created: { not_added: people, invite_link: link },
  close,
}: {
  name: string;
  created: Created;
  close: () => void;
}) {
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {t('groups.createdWithout', { name, people: people.length })}
      </Text>
      <List size="sm">
        {people.map(({ phone_number: number, reason }) => (
          <List.Item key={number}>{t(`groups.notAdded.${reason}`, { number })}</List.Item>
        ))}
      </List>
      {link !== null && (
        <>
          <Text size="sm">{t('groups.inviteThem')}</Text>
          <InviteLink link={link} />
        </>
      )}
      <Row justify="flex-end">
        <Button onClick={close}>{t('common.close')}</Button>
      </Row>
    </Stack>
  );
}
