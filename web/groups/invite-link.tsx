import { Code, Group as Row } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CampanileError } from '../../clients/typescript/failure.ts';
import type { Group } from '../api/operations.ts';
import { inviteLinkQuery } from '../api/queries.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';

/** A link to join a group, to copy or to scan. */
export function InviteLink({ link }: { link: string }) {
  return (
    <>
      <QrCode text={link} label={t('groups.qrLabel')} />
      <Row gap="xs" justify="center">
        <Code className={textClasses.breakable}>{link}</Code>
        <CopyButton value={link} label={t('groups.copyLink')} />
      </Row>
    </>
  );
}

/** The link of a group, which is asked for if it is not known. */
export function GroupInviteLink({ group }: { group: Pick<Group, 'group_metadata_id' | 'invite_link'> }) {
  const { group_metadata_id: groupId, invite_link: known } = group;
  const asked = useQuery({ ...inviteLinkQuery(groupId), enabled: known === null });
  const link = known ?? asked.data?.invite_link;
  if (link !== undefined) return <InviteLink link={link} />;
  const isRefused = asked.error instanceof CampanileError && asked.error.errorCode === 'messenger_refused';
  if (isRefused) return <p className={textClasses.dim}>{t('group.noLink')}</p>;
  return <QueryStatus of={asked} rows={1} height={200} />;
}
