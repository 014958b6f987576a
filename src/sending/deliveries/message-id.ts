import { sql, type RawBuilder } from 'kysely';

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
