import { Button, Checkbox, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { openWorkspace } from '../api/chosen-workspace.ts';
import type { GivenRole, Member } from '../api/operations.ts';
import { sessionQuery } from '../api/session.ts';
import { useMay, useWorkspace, workspacesQuery } from '../api/workspace.ts';
import { memberName } from '../format/person-name.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { t } from '../i18n/translate.ts';
import { InviteMemberDialog } from './invite-member-dialog.tsx';
import { PendingInvitations } from './pending-invitations.tsx';
import { MEMBERS, membersQuery } from './queries.ts';
import { roleOptions } from './role-options.ts';
import { WorkspaceName } from './workspace-name.tsx';

/** The members of the workspace, and for its owner the name, the invitations and the roles. */
export function Members() {
  const isOwner = useMay('owner') === true;
  const workspace = useWorkspace();
  const [isInviting, inviting] = useDisclosure(false);
  const members = useQuery(membersQuery);
  return (
    <Section
      title={t('members.title')}
      aside={
        isOwner && (
          <Button size="xs" variant="default" onClick={inviting.open}>
            {t('members.invite')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        {workspace && <WorkspaceName key={workspace.name} name={workspace.name} isOwner={isOwner} />}
        <Text size="sm" c="dimmed">
          {t('members.note')}
        </Text>
        <QueryStatus of={members} rows={2} />
        {members.data && <MemberTable members={members.data.members} isOwner={isOwner} />}
        {isOwner && <PendingInvitations />}
        {workspace && !isOwner && <Leave />}
      </Stack>
      <InviteMemberDialog opened={isInviting} close={inviting.close} />
    </Section>
  );
}

function MemberTable({ members, isOwner }: { members: readonly Member[]; isOwner: boolean }) {
  return (
    <DataTable
      label={t('members.title')}
      rows={members}
      rowKey={(member) => member.user_id}
      columns={[
        {
          header: t('members.name'),
          cellProps: { fw: 550 },
          renderCell: (member) => <RowName name={memberName(member)}>{member.email}</RowName>,
        },
        {
          header: t('members.role'),
          renderCell: (member) =>
            isOwner && member.role !== 'owner' ? <RoleSelect member={member} /> : t(`members.roles.${member.role}`),
        },
        {
          header: t('members.joined'),
          visibleFrom: 'sm',
          nowrap: true,
          renderCell: ({ joined_at: at }) => <RelativeTime at={at} />,
        },
        ...(isOwner
          ? [
              {
                header: t('members.actions'),
                isActions: true,
                renderCell: (member: Member) => member.role !== 'owner' && <Actions member={member} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function RoleSelect({ member }: { member: Member }) {
  const client = useQueryClient();
  const changing = useMutation({
    mutationFn: (role: GivenRole) => call('workspace/set-member-role', { user_id: member.user_id, role }),
    onSettled: () => client.invalidateQueries({ queryKey: MEMBERS }),
  });
  return (
    <>
      <Select
        size="xs"
        aria-label={t('members.roleOf', { name: memberName(member) })}
        data={roleOptions()}
        value={changing.isPending ? changing.variables : member.role}
        allowDeselect={false}
        disabled={changing.isPending}
        onChange={(role) => role && changing.mutate(role as GivenRole)}
      />
      <ErrorText error={changing.error} />
    </>
  );
}

function Actions({ member }: { member: Member }) {
  const client = useQueryClient();
  const name = memberName(member);
  const handOver = async (signal: AbortSignal) => {
    await call('workspace/hand-over-workspace', { user_id: member.user_id }, { signal });
    await Promise.all([
      client.invalidateQueries({ queryKey: MEMBERS }),
      client.invalidateQueries({ queryKey: workspacesQuery.queryKey }),
    ]);
  };
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <ConfirmButton
        size="compact-sm"
        variant="subtle"
        title={t('members.handOverTitle', { name })}
        aria-label={t('members.handOverTitle', { name })}
        action={t('members.handOver')}
        act={handOver}
        danger
      >
        {t('members.handOverNote', { name })}
      </ConfirmButton>
      <Remove member={member} />
    </Group>
  );
}

function Remove({ member }: { member: Member }) {
  const client = useQueryClient();
  const [keepsLinks, setKeepsLinks] = useState(false);
  const title = t('members.removeTitle', { name: memberName(member) });
  const remove = async (signal: AbortSignal) => {
    await call('workspace/remove-member', { user_id: member.user_id, keep_report_links: keepsLinks }, { signal });
    await client.invalidateQueries({ queryKey: MEMBERS });
  };
  return (
    <ConfirmButton
      size="compact-sm"
      variant="subtle"
      title={title}
      aria-label={title}
      action={t('members.remove')}
      act={remove}
      danger
    >
      <Text size="sm">{t('members.removeNote')}</Text>
      <Checkbox
        label={t('members.keepLinks')}
        description={t('members.keepLinksNote')}
        checked={keepsLinks}
        onChange={({ currentTarget }) => setKeepsLinks(currentTarget.checked)}
      />
    </ConfirmButton>
  );
}

function Leave() {
  const { data: session } = useQuery(sessionQuery);
  const leave = async (signal: AbortSignal) => {
    await call('workspace/leave-workspace', {}, { signal });
    openWorkspace(undefined);
  };
  if (!session) return null;
  return (
    <Group>
      <ConfirmButton title={t('members.leaveTitle')} action={t('members.leave')} act={leave} danger>
        {t('members.leaveNote')}
      </ConfirmButton>
    </Group>
  );
}
