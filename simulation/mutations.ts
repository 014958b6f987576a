/** Bugs that the simulation, or a test of the part, has to find: exact texts of the source, and what stands there instead. Never in the source itself. */
export interface Edit {
  /** Below `src`. */
  file: string;
  text: string;
  replacement: string;
}

export interface Mutation {
  name: string;
  edits: readonly Edit[];
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'the fence is skipped, before sends and when a turn is finished',
    edits: [
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: 'l.turn = i.turn and l.in_hand_run_id is not null as held',
        replacement: 'l.in_hand_run_id is not null as held',
      },
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: "(o.effect ->> 'account_id')::bigint and l.turn = (o.effect ->> 'turn')::bigint",
        replacement: "(o.effect ->> 'account_id')::bigint",
      },
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: 'where l.account_id = i.account_id and l.turn = i.turn and (all_held',
        replacement: 'where l.account_id = i.account_id and (all_held',
      },
      {
        file: 'sending/leases/leases.ts',
        text: 'return epoch !== undefined && epoch === since.get(accountId % SHARDS) && isGood();',
        replacement: 'return (epoch !== -1 || since.size > 0) && isGood();',
      },
    ],
  },
  {
    name: 'the lease is not asked before a send',
    edits: [
      {
        file: 'sending/leases/leases.ts',
        text: 'return epoch !== undefined && epoch === since.get(accountId % SHARDS) && isGood();',
        replacement: 'return epoch !== -1 || since.size > 0;',
      },
    ],
  },
  {
    name: 'the gap is not waited for',
    edits: [
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: "campanile_now() + i.gap_ms * interval '1 millisecond'",
        replacement: 'campanile_now()',
      },
    ],
  },
  {
    name: 'wake_at is early',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'where d.shard = held.shard and d.wake_at <= campanile_now()',
        replacement: "where d.shard = held.shard and d.wake_at <= campanile_now() + interval '1 second'",
      },
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'where l.shard = o.shard and l.wake_at <= campanile_now()',
        replacement: "where l.shard = o.shard and l.wake_at <= campanile_now() + interval '1 second'",
      },
    ],
  },
  {
    name: 'next_position is off by one',
    edits: [
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: 't.held_last + 1',
        replacement: 't.held_last + 2',
      },
    ],
  },
  {
    name: 'a receipt is counted twice',
    edits: [
      {
        file: 'sending/receipts/record-receipts.ts',
        text: 'fresh = excluded.flags & ~r.flags,',
        replacement: 'fresh = excluded.flags,',
      },
    ],
  },
  {
    name: 'an older vote replaces a newer one',
    edits: [
      {
        file: 'sending/receipts/record-votes.ts',
        text: "where v.participant is null or ${wins('n', 'v')}",
        replacement: 'where true',
      },
    ],
  },
  {
    name: 'a hint is lost, and nobody looks without one',
    edits: [
      {
        file: 'sending/deliveries/claim-turns.ts',
        text: 'return Math.min(restMs, Math.max(2, ms ?? restMs));',
        replacement: 'return Math.max(2, ms ?? 1_000_000_000);',
      },
      {
        file: 'sending/deliveries/send-loop.ts',
        text: 'return Math.min(uncheckedMs, revising.waitMs, await nextTurnMs(db, shards, { skipped, restMs }));',
        replacement: 'return nextTurnMs(db, shards, { skipped });',
      },
    ],
  },
  {
    name: 'a retry has a new id',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 't.position, t.message_id, g.send_to',
        replacement:
          "t.position, case when t.attempts > 0 then '3EB0' || upper(left(md5(t.message_id || t.attempts), 18)) else t.message_id end, g.send_to",
      },
    ],
  },
  {
    name: 'a take-over does not say that it may have left',
    edits: [
      {
        file: 'sending/leases/lease-store.ts',
        text: 'set uncertain = true, resend = false,',
        replacement: 'set resend = false,',
      },
    ],
  },
  {
    name: 'an unknown outcome counts as surely not sent',
    edits: [
      {
        file: 'sending/deliveries/outcome.ts',
        text: '...failureOf(result), uncertain: true };',
        replacement: '...failureOf(result), uncertain: false };',
      },
    ],
  },
  {
    name: 'refusals in a row pause nothing',
    edits: [
      {
        file: 'sending/deliveries/ledger-writes.ts',
        text: 'export const REFUSALS_IN_A_ROW = 3;',
        replacement: 'export const REFUSALS_IN_A_ROW = 300;',
      },
    ],
  },
  {
    name: 'a pause is not honoured',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: "and r.workspace_id = l.workspace_id and r.status = 'running' and not r.paused",
        replacement: "and r.workspace_id = l.workspace_id and r.status = 'running'",
      },
    ],
  },
  {
    name: 'a run ends with one still queued',
    edits: [
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: "status = case when r.status = 'running' and r.queued = t.sent + t.failed",
        replacement: "status = case when r.status = 'running' and r.queued <= t.sent + t.failed + 1",
      },
    ],
  },
  {
    name: 'the sums are not told of changes',
    edits: [
      {
        file: 'platform/database/functions/sum_changed_deliveries.sql',
        text: 'r.run_id = n.run_id limit 1)) then return null; end if;',
        replacement: 'r.run_id = n.run_id limit 1)) or true then return null; end if;',
      },
    ],
  },
  {
    name: 'the epoch is not raised at a take-over',
    edits: [
      {
        file: 'sending/leases/lease-store.ts',
        text: 'set worker_id = ${workerId}, epoch = s.epoch + 1 from free',
        replacement: 'set worker_id = ${workerId}, epoch = s.epoch from free',
      },
    ],
  },
  {
    name: 'what is in hand is taken for a stray',
    edits: [
      {
        file: 'sending/deliveries/requeue-orphaned-turns.ts',
        text: '!options.knows(turn)',
        replacement: '!options.knows({ ...turn, turn: turn.turn + 1 })',
      },
    ],
  },
  {
    name: 'a finish that is repeated counts again',
    edits: [
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: "q.position between o.first and o.last and q.status = 'queued'",
        replacement: 'q.position between o.first and o.last',
      },
    ],
  },
  {
    name: 'what left late stays cancelled',
    edits: [
      {
        file: 'platform/database/functions/finish_turns.sql',
        text: 'perform write_late_sends(living, sent_ranges);',
        replacement: 'null;',
      },
    ],
  },
  {
    name: 'a recall goes before what is in hand',
    edits: [
      {
        file: 'sending/deliveries/claim-revisions.ts',
        text: 'and l.in_hand_run_id is null and l.next_send_at <=',
        replacement: 'and l.next_send_at <=',
      },
    ],
  },
  {
    name: 'a due run is missed at once',
    edits: [
      {
        file: 'sending/campaigns/begin/expire-runs.ts',
        text: 'const LATEST_START_HOURS = 6;',
        replacement: 'const LATEST_START_HOURS = 0;',
      },
    ],
  },
  {
    name: 'a begun run expires at once',
    edits: [
      {
        file: 'sending/campaigns/begin/expire-runs.ts',
        text: 'is_stalled(r.progress_at, r.workspace_id)',
        replacement: 'true',
      },
    ],
  },
  {
    name: 'a turn takes from a run that has expired',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'and not is_stalled(r.progress_at, r.workspace_id)',
        replacement: '',
      },
    ],
  },
  {
    name: 'runs of a schedule are an hour late',
    edits: [
      {
        file: 'sending/campaigns/accept/add-scheduled-campaign.ts',
        text: 'new Date(instant.epochMilliseconds)',
        replacement: 'new Date(instant.epochMilliseconds + 3_600_000)',
      },
    ],
  },
  {
    name: 'the run that is due last goes first',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'coalesce(s.served_turn, r.served_turn), r.due_at, r.run_id limit 1',
        replacement: 'coalesce(s.served_turn, r.served_turn), r.due_at desc, r.run_id desc limit 1',
      },
    ],
  },
  {
    name: 'a webhook is told past a message that failed',
    edits: [
      {
        file: 'notifications/webhooks/deliver-batch.ts',
        text: 'if (!isSuccess(attempt) || performance.now() - begunAt > BATCH_MS) break;',
        replacement: 'if (performance.now() - begunAt > BATCH_MS) break;',
      },
    ],
  },
  {
    name: 'a warm-up allows the posts of a later day',
    edits: [
      {
        file: 'sending/accounts/warm-up.ts',
        text: 'WARM_UP_CAPS[dayOfWarmUp(warmUpFrom, date) - 1]',
        replacement: 'WARM_UP_CAPS[dayOfWarmUp(warmUpFrom, date) + 2]',
      },
    ],
  },
  {
    name: 'an update leaves the groups as they were',
    edits: [
      {
        file: 'sending/campaigns/change/update-campaign.ts',
        text: 'groupIds: change.groupIds ?? content.groupIds,',
        replacement: 'groupIds: content.groupIds,',
      },
    ],
  },
  {
    name: 'an update reaches runs that have begun',
    edits: [
      {
        file: 'sending/campaigns/change/update-campaign.ts',
        text: 'await writeContent(trx, campaignId, next);',
        replacement:
          "await writeContent(trx, campaignId, next); await trx.updateTable('runs').set({ content_id: (await trx.selectFrom('campaigns').select('content_id').where('campaign_id', '=', campaignId).executeTakeFirstOrThrow()).content_id }).where('campaign_id', '=', campaignId).where('started_at', 'is not', null).execute();",
      },
    ],
  },
  {
    name: 'a sync keeps groups that are gone',
    edits: [
      {
        file: 'sending/groups/store.ts',
        text: 'where k.chat_id not in (select "chatId" from fresh) and not',
        replacement: 'where false and not',
      },
    ],
  },
  {
    name: 'a follow-up leaves out no readers',
    edits: [
      {
        file: 'sending/campaigns/begin/skip-readers.ts',
        text: 'coalesce(${percent} >= ${followUp.underPercent}::int, true)',
        replacement: '${percent} is null and ${followUp.underPercent}::int > 0',
      },
    ],
  },
  {
    name: 'a follow-up leaves out groups below the percentage',
    edits: [
      {
        file: 'sending/campaigns/begin/skip-readers.ts',
        text: 'coalesce(${percent} >= ${followUp.underPercent}::int, true)',
        replacement: 'coalesce(${percent} >= ${followUp.underPercent}::int - 50, true)',
      },
    ],
  },
  {
    name: 'deliveries are handed over that were tried',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: 'd.run_id = run.run_id and ${isMovable}',
        replacement: "d.run_id = run.run_id and d.status = 'queued'",
      },
    ],
  },
  {
    name: 'deliveries are handed over that are in hand',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: 'sql`not ${isInHand(sql`q`)}`',
        replacement: 'sql`true`',
      },
    ],
  },
  {
    name: 'an account sends what another is the sender of',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: "and d.status = 'queued' and d.not_before is null and d.account_id = l.account_id\n       order by d.position limit l.most)",
        replacement: "and d.status = 'queued' and d.not_before is null\n       order by d.position limit l.most)",
      },
    ],
  },
  {
    name: 'nothing is handed over',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: 'and ${chosen} <> d.account_id',
        replacement: 'and ${chosen} <> d.account_id and ${from ?? null}::bigint is null',
      },
    ],
  },
  {
    name: 'a delivery that is handed over keeps the id of its message',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: "message_id = ${messageIdOf('run', 'd', chosen)}, ${AFRESH}",
        replacement: '${AFRESH}',
      },
    ],
  },
  {
    name: 'deliveries are handed over of which an attempt was interrupted',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: 'not ${delivery}.uncertain and ${delivery}.interrupted_attempts = 0\n',
        replacement: 'not ${delivery}.uncertain\n',
      },
    ],
  },
  {
    name: 'nobody wakes the account that takes over',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: '  await wakeLanes(trx, workspaceId);\n  return positions;',
        replacement: '  return positions;',
      },
    ],
  },
  {
    name: 'an account that takes over goes on where it was',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: 'where s.next_position > excluded.next_position',
        replacement: 'where s.next_position < excluded.next_position',
      },
    ],
  },
  {
    name: 'an account does not know where to begin in what it takes over',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: 'g.account_id, min(g.position) from run, given g',
        replacement: 'g.account_id, max(g.position) from run, given g',
      },
    ],
  },
  {
    name: 'deliveries return although their workspace wants them to stay',
    edits: [
      {
        file: 'sending/senders/find-down.ts',
        text: '(w.fails_back and a.down_since is null and',
        replacement: '(a.down_since is null and',
      },
    ],
  },
  {
    name: 'stand-ins take over at once',
    edits: [
      {
        file: 'sending/senders/find-down.ts',
        text: "a.down_since <= campanile_now() - w.failover_minutes * interval '1 minute'`",
        replacement: 'a.down_since is not null and w.failover_minutes is not null`',
      },
    ],
  },
  {
    name: 'stand-ins never take over',
    edits: [
      {
        file: 'sending/senders/find-down.ts',
        text: "a.down_since <= campanile_now() - w.failover_minutes * interval '1 minute'`",
        replacement: "a.down_since <= campanile_now() - w.failover_minutes * interval '1 year'`",
      },
    ],
  },
  {
    name: 'an account is down anew with each change of its row',
    edits: [
      {
        file: 'platform/database/functions/record_downtime.sql',
        text: 'coalesce(new.down_since, campanile_now())',
        replacement: 'campanile_now()',
      },
    ],
  },
  {
    name: 'an account that is up counts as down',
    edits: [
      {
        file: 'platform/database/functions/record_downtime.sql',
        text: "case when new.status <> 'connected'",
        replacement: "case when new.status = 'connected'",
      },
    ],
  },
  {
    name: 'an account that is down is chosen',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'm.can_send and not a.is_passed and not a.is_down as is_fit',
        replacement: 'm.can_send and not a.is_passed as is_fit',
      },
    ],
  },
  {
    name: 'an account that has left a group is chosen',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'where m.group_id = g.group_id and m.gone_at is null\n    ) m',
        replacement: 'where m.group_id = g.group_id\n    ) m',
      },
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'm.can_send and not a.is_passed and not a.is_down as is_fit',
        replacement: 'not a.is_passed and not a.is_down as is_fit',
      },
    ],
  },
  {
    name: 'an account that may not post in a group is chosen',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'm.can_send and not a.is_passed and not a.is_down as is_fit',
        replacement: 'not a.is_passed and not a.is_down as is_fit',
      },
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'm.can_send and not a.is_passed as may_post',
        replacement: 'not a.is_passed as may_post',
      },
    ],
  },
  {
    name: 'rules of groups are not looked at',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'array_position(((select b.rules from by_group b) ->> m.group_id::text)::bigint[], a.account_id),',
        replacement: 'null::int,',
      },
    ],
  },
  {
    name: 'the rule of the workspace is not looked at',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'array_position((select b.account_ids from by_workspace b), a.account_id), a.is_default desc',
        replacement: 'a.is_default desc',
      },
    ],
  },
  {
    name: 'the rule of the workspace goes before those of groups',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'array_position(((select b.rules from by_group b) ->> m.group_id::text)::bigint[], a.account_id),',
        replacement: 'array_position((select b.account_ids from by_workspace b), a.account_id),',
      },
    ],
  },
  {
    name: 'a shared run begins anew with each claim',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'case when r.is_shared then s.next_position else r.next_position end',
        replacement: 'case when r.is_shared then 1 else r.next_position end',
      },
    ],
  },
  {
    name: 'an account is where another is in a shared run',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 's.run_id = r.run_id and s.account_id = l.account_id\n      cross join',
        replacement: 's.run_id = r.run_id\n      cross join',
      },
    ],
  },
  {
    name: 'an account skips deliveries of a shared run',
    edits: [
      {
        file: 'platform/database/functions/advance_senders.sql',
        text: 'q.position >= s.next_position',
        replacement: 'q.position > s.next_position',
      },
    ],
  },
  {
    name: 'retries of another account are sent',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'and w.not_before <= campanile_now()\n         and w.account_id = l.account_id\n       -- `+ 0`',
        replacement: 'and w.not_before <= campanile_now()\n       -- `+ 0`',
      },
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'and w.not_before <= campanile_now() and w.account_id = l.account_id order by w.not_before limit 1',
        replacement: 'and w.not_before <= campanile_now() order by w.not_before limit 1',
      },
    ],
  },
  {
    name: 'a refusal leaves the way to the group open',
    edits: [
      {
        file: 'sending/deliveries/finish-turns.ts',
        text: 'isDenied ? await reassignDenied(trx, finished) : finished',
        replacement: 'isDenied ? [...finished] : finished',
      },
    ],
  },
];

export const isSql = ({ file }: Edit) => file.endsWith('.sql');
/** Throws unless it has its text once. */
export const edit = ({ file, text, replacement }: Edit, source: string): string => {
  if (source.split(text).length !== 2) throw new Error(`"${text}" does not stand once in ${file}`);
  return source.replace(text, () => replacement);
};
