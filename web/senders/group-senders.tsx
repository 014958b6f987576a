import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useSeveralAccounts } from '../api/accounts.ts';
import type { Group, ListedAccount, SenderRule } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { accountNames } from '../format/account-name.ts';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import { groupAccountsQuery, sendersQuery, type GroupAccount } from './sender-queries.ts';
import { SenderRuleText } from './sender-rule.tsx';
import { SendersDialog } from './senders-dialog.tsx';
import classes from './senders.module.css';

type NamedGroup = Pick<Group, 'group_metadata_id' | 'group_name' | 'kind'>;
/** The narrowest first: it decides. */
const SCOPES: ReadonlyArray<SenderRule['scope']> = ['group', 'group_list', 'workspace'];

/** Which account posts to a group, which could, and by which rule. Nothing in a workspace with one account. */
export function GroupSenders({ group }: { group: NamedGroup }) {
  const accounts = useSeveralAccounts();
  return accounts ? <Senders group={group} accounts={accounts} /> : null;
}

function Senders({ group, accounts }: { group: NamedGroup; accounts: readonly ListedAccount[] }) {
  const { group_metadata_id: id, group_name: name } = group;
  const ways = useQuery(groupAccountsQuery(group));
  const rules = useQuery(sendersQuery(id));
  const mayChange = useMay('manager') === true;
  const [isChanging, { open, close }] = useDisclosure(false);
  const inForce = narrowest(rules.data?.senders ?? []);
  const own = inForce?.scope === 'group' ? inForce : undefined;
  const sender = ways.data?.find((way) => way.is_sender)?.account_id;
  return (
    <Section
      title={t('senders.title')}
      aside={
        mayChange && (
          <Button size="xs" variant="default" onClick={open} disabled={!rules.isSuccess}>
            {t('senders.change')}
          </Button>
        )
      }
    >
      <QueryStatus of={ways} rows={2} />
      {ways.data && <Ways ways={ways.data} names={accountNames(accounts)} />}
      {rules.isSuccess && <Rules inForce={inForce} history={rules.data.history ?? []} names={accountNames(accounts)} />}
      <SendersDialog
        opened={isChanging}
        close={close}
        title={t('senders.changeTitle', { group: name })}
        accounts={accounts}
        of={{ group_metadata_ids: [id] }}
        chosen={inForce?.account_ids ?? (sender === undefined ? [] : [sender])}
        hasRule={own !== undefined}
      />
    </Section>
  );
}

function narrowest(rules: readonly SenderRule[]): SenderRule | undefined {
  return SCOPES.map((scope) => rules.find((rule) => rule.scope === scope)).find((rule) => rule !== undefined);
}

/** The accounts that are members of the group, the one that posts first. */
function Ways({ ways, names }: { ways: readonly GroupAccount[]; names: ReadonlyMap<number, string> }) {
  const rank = ({ is_sender: isSender, can_send: canSend }: GroupAccount) => (isSender ? 0 : canSend ? 1 : 2);
  return (
    <>
      {!ways.some((way) => way.is_sender) && <Text size="sm">{t('senders.nobody')}</Text>}
      <ul className={classes.ways}>
        {ways
          .toSorted((one, other) => rank(one) - rank(other))
          .map((way) => (
            <li key={way.account_id} data-sender={way.is_sender || undefined}>
              <span className={textClasses.clip} dir="auto" title={names.get(way.account_id)}>
                {names.get(way.account_id) ?? t('senders.removedAccount')}
              </span>
              <span className={`${textClasses.dim} ${textClasses.nowrap}`}>{wayText(way)}</span>
            </li>
          ))}
      </ul>
    </>
  );
}

function wayText({ is_sender: isSender, can_send: canSend, is_admin: isAdmin }: GroupAccount): string {
  const what = isSender ? t('senders.posts') : canSend ? t('senders.could') : t('senders.cannot');
  return isAdmin === true ? `${what} · ${t('senders.admin')}` : what;
}

/** The rule in force, and the earlier ones on demand. */
function Rules({
  inForce,
  history,
  names,
}: {
  inForce: SenderRule | undefined;
  history: readonly SenderRule[];
  names: ReadonlyMap<number, string>;
}) {
  const [isShown, { toggle }] = useDisclosure(false);
  return (
    <Stack gap="xs" mt="sm" align="flex-start">
      {inForce ? <SenderRuleText rule={inForce} names={names} /> : <Text size="sm">{t('senders.noRule')}</Text>}
      {history.length > 0 && (
        <Button size="compact-sm" variant="subtle" px={0} aria-expanded={isShown} onClick={toggle}>
          {t('senders.history')}
        </Button>
      )}
      {isShown && (
        <ol className={classes.history}>
          {history.map((rule) => (
            <li key={`${rule.scope} ${rule.group_list_id} ${rule.set_at}`}>
              <SenderRuleText rule={rule} names={names} />
            </li>
          ))}
        </ol>
      )}
    </Stack>
  );
}
