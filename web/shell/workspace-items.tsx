import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { openWorkspace } from '../api/chosen-workspace.ts';
import type { Workspace } from '../api/operations.ts';
import { useWorkspace, workspacesQuery } from '../api/workspace.ts';
import { useUnsavedChangesGuard } from '../drafts/use-unsaved-changes-guard.tsx';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';

/** The switcher: an item for each workspace of a user who has several. */
export function WorkspaceItems() {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const present = useWorkspace();
  if (workspaces.length < 2) return null;
  return (
    <>
      <Menu.Label>{t('members.workspaces')}</Menu.Label>
      {workspaces.map((one) => (
        <WorkspaceItem key={one.workspace_id} workspace={one} isPresent={one === present} />
      ))}
      <Menu.Divider />
    </>
  );
}

function WorkspaceItem({ workspace, isPresent }: { workspace: Workspace; isPresent: boolean }) {
  const { leave, question } = useUnsavedChangesGuard(async () =>
    openWorkspace(workspace.is_default ? undefined : workspace.workspace_id),
  );
  return (
    <>
      <Menu.Item
        onClick={leave}
        disabled={isPresent}
        aria-current={isPresent || undefined}
        {...(isPresent && { leftSection: <Icon name="check" size={16} /> })}
      >
        {workspace.name} · {t(`members.roles.${workspace.role}`)}
      </Menu.Item>
      {question}
    </>
  );
}
