import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { openWorkspace } from '../api/chosen-workspace.ts';
import type { Workspace } from '../api/operations.ts';
import { useWorkspace, workspacesQuery } from '../api/workspace.ts';
import { useUnsavedChangesGuard } from '../drafts/use-unsaved-changes-guard.tsx';
import { Icon } from '../parts/icons.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { t } from '../i18n/translate.ts';
import classes from './workspace-switcher.module.css';

const CreateWorkspaceDialog = lazy(lazyWithRetry(() => import('../members/create-workspace-dialog.tsx')));

/** As in theme.ts. */
const COLOURS = 8;

/** The workspace that the page shows, on every page, and the way into the others. */
export function WorkspaceSwitcher() {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const present = useWorkspace();
  const [isCreating, creating] = useDisclosure(false);
  if (!present) return <span className={classes.switcher} />;
  return (
    <>
      {/* Fixed, like the rail. */}
      <Menu position="bottom-start" width={260} floatingStrategy="fixed">
        <Menu.Target>
          <UnstyledButton className={classes.switcher}>
            <VisuallyHidden>{t('members.workspace')}</VisuallyHidden>
            <Badge workspace={present} />{' '}
            <span className={classes.name} dir="auto">
              {present.name}
            </span>
            <Icon name="down" size={16} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('members.workspaces')}</Menu.Label>
          {workspaces.map((one) => (
            <WorkspaceItem key={one.workspace_id} workspace={one} isPresent={one === present} />
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={creating.open}>
            {t('members.newWorkspace')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{isCreating && <CreateWorkspaceDialog close={creating.close} />}</Suspense>
    </>
  );
}

function WorkspaceItem({ workspace, isPresent }: { workspace: Workspace; isPresent: boolean }) {
  const { leave, question } = useUnsavedChangesGuard(async () => openWorkspace(workspace.workspace_id));
  return (
    <>
      <Menu.Item
        leftSection={<Badge workspace={workspace} />}
        {...(isPresent ? { 'aria-current': true, rightSection: <Icon name="check" size={16} /> } : { onClick: leave })}
      >
        {workspace.name} · {t(`members.roles.${workspace.role}`)}
      </Menu.Item>
      {question}
    </>
  );
}

/** The first letter on the colour of the workspace, which is the same for all of its members. */
function Badge({ workspace: { workspace_id: id, name } }: { workspace: Workspace }) {
  const [letter = ''] = name.trim();
  return (
    <span className={classes.badge} style={{ background: `var(--list-${(id % COLOURS) + 1})` }} aria-hidden="true">
      {letter.toLocaleUpperCase()}
    </span>
  );
}
