import { sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/**
 * Inserts deliveries of running runs, each with the account that sends it and the message ids of that account, fixed before the first
 * attempt. Accounts in `resting` send only where no other can. `runs` is a relation with `workspace_id`, `run_id`, `content_id`, `public_id`, `legacy_account_id`, `is_shared` and the default
 * account as `account_id`. `after` and `upto` are positions; they know it as `p`.
 */
export const insertDeliveries = (
  runs: RawBuilder<unknown>,
  {
    after,
    upto,
    resting = [],
  }: { after: RawBuilder<unknown>; upto: RawBuilder<unknown>; resting?: readonly AccountId[] },
): RawBuilder<unknown> => sql`
  insert into deliveries (workspace_id, run_id, position, group_id, account_id, message_id)
  select p.workspace_id, p.run_id, ${after} + t.ordinal, t.group_id, t.account_id, ${messageIdOf('p', 't', 't.account_id')}
  from ${runs} p join contents c on c.content_id = p.content_id
  cross join lateral (
    select g.group_id, p.account_id, g.ordinal
    from unnest(c.group_ids[${after} + 1 : ${upto}]) with ordinality g (group_id, ordinal) where not p.is_shared
    union all
    select s.group_id, s.account_id, s.ordinal
    from choose_senders(p.workspace_id, c.group_ids[${after} + 1 : ${upto}], (c.extras ->> 'accountId')::bigint,
                        resting => ${[...resting]}::bigint[])
         with ordinality s (group_id, account_id, may_post, is_fit, ordinal) where p.is_shared) t
  returning workspace_id, run_id, account_id, position`;

/** Inserts how far accounts have come in the shared runs of which `written` are the deliveries that were just inserted. `runs` as above. */
export const insertSenders = (written: RawBuilder<unknown>, runs: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into run_senders (workspace_id, run_id, account_id, next_position)
  select w.workspace_id, w.run_id, w.account_id, min(w.position)
  from ${written} w join ${runs} p on p.workspace_id = w.workspace_id and p.run_id = w.run_id
  where p.is_shared
  group by 1, 2, 3
  on conflict do nothing`;

/**
 * In WhatsApp's shape: '3EB0' and 18 upper-case hexadecimal digits. They follow from the run and the group, by the campaign's public id,
 * which is random: a ledger that was restored gives a run that it begins again the ids of the first time
 * (docs/explanation/decisions/0051-derive-message-ids.md). `run` names a row with `public_id`, `run_id` and `legacy_account_id`,
 * `target` one with `group_id`, and `account` the account that sends, or a column with it: the ids of each account are its own. Those of the legacy
 * account are as they were before deliveries named their account.
 */
export function messageIdOf(run: string, target: string, account: string | RawBuilder<unknown>) {
  const [campaign, runId, group] = [
    sql.ref(`${run}.public_id`),
    sql.ref(`${run}.run_id`),
    sql.ref(`${target}.group_id`),
  ];
  const sender = typeof account === 'string' ? sql.ref(account) : account;
  const byAccount = sql`coalesce('/' || nullif(${sender}, ${sql.ref(`${run}.legacy_account_id`)}), '')`;
  const named = sql`convert_to(${campaign} || '/' || ${runId} || '/' || ${group} || ${byAccount}, 'UTF8')`;
  return sql`'3EB0' || upper(left(encode(sha256(${named}), 'hex'), 18))`;
}
