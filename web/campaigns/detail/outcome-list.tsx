import { Group, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId, type ReactNode } from 'react';
import type { GroupRow } from '../../api/operations.ts';
import { GroupLink } from '../../groups/group-link.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { VirtualList } from '../../parts/virtual-rows.tsx';
import { listNames } from '../../format/list-names.ts';
import { t } from '../../i18n/translate.ts';
import classes from './outcome-list.module.css';

const NAMED = 3;
const ROW_HEIGHT = 30;
const SHOWN_ROWS = 8;

/** A list of `OutcomeReason` and `Outcome` items. */
export function OutcomeList({ children }: { children: ReactNode }) {
  return <ul className={classes.reasons}>{children}</ul>;
}

/** An outcome without a reason. */
export function Outcome({ children }: { children: ReactNode }) {
  return (
    <li>
      <p className={classes.what}>{children}</p>
    </li>
  );
}

/** An outcome with its reason (`more`) and the groups it concerns. `action` and `withGroups` are buttons. */
export function OutcomeReason({
  what,
  hit,
  more,
  action,
  withGroups,
}: {
  what: string;
  hit: readonly GroupRow[];
  more: string;
  action?: ReactNode;
  withGroups?: ReactNode;
}) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const listId = useId();
  const names = hit.map((group) => group.group_name);
  return (
    <li>
      <div className={classes.summary}>
        <p className={classes.what}>{what}</p>
        <UnstyledButton className={classes.open} aria-expanded={isOpen} aria-controls={listId} onClick={toggle}>
          {listNames(names, NAMED)}
          <Icon name={isOpen ? 'up' : 'down'} size={12} />
        </UnstyledButton>
        <p>{more}</p>
      </div>
      {action}
      <div id={listId} className={classes.all} hidden={!isOpen}>
        {isOpen && (
          <>
            <VirtualList items={hit} rowHeight={ROW_HEIGHT} maxHeight={ROW_HEIGHT * SHOWN_ROWS} label={what}>
              {(group) => (
                <div key={group.group_metadata_id} className={classes.group} style={{ height: ROW_HEIGHT }}>
                  <GroupLink group={group} />
                </div>
              )}
            </VirtualList>
            <Group gap="xs" mt="xs">
              <CopyButton value={hit.map((group) => group.group_name).join('\n')} label={t('campaign.copyNames')} />
              {withGroups}
            </Group>
          </>
        )}
      </div>
    </li>
  );
}
