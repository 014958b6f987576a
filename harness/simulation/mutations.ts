/** Bugs that the simulation, or a test of the part, has to find: exact texts of the source, and what stands there instead. Never in the source itself. */
export interface Edit {
  /** Below `src`. */
  file: string;
  text: string;
  replacement: string;
}

export interface Mutation {
  name: string;
  /** The test that finds it, below `test`. Of the others the simulation has to. */
  test?: string;
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
        file: 'platform/database/functions/record_persons.sql',
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
        file: 'sending/campaigns/occurrences.ts',
        text: 'new Date(at.epochMilliseconds)',
        replacement: 'new Date(at.epochMilliseconds + 3_600_000)',
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
        text: 'const own = change.groupIds ?? content.extras.groupLists?.groupIds ?? content.groupIds;',
        replacement: 'const own = content.extras.groupLists?.groupIds ?? content.groupIds;',
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
        file: 'sending/campaigns/begin/settle-varying.ts',
        text: 'coalesce(${percent} >= ${followUp.underPercent}::int, true)',
        replacement: '${percent} is null and ${followUp.underPercent}::int > 0',
      },
    ],
  },
  {
    name: 'a follow-up leaves out groups below the percentage',
    edits: [
      {
        file: 'sending/campaigns/begin/settle-varying.ts',
        text: 'coalesce(${percent} >= ${followUp.underPercent}::int, true)',
        replacement: 'coalesce(${percent} >= ${followUp.underPercent}::int - 50, true)',
      },
    ],
  },
  {
    name: 'deliveries are handed over that were tried',
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/deliveries/several-accounts',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/deliveries/shared-run-turns',
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
    test: 'sending/deliveries/shared-run-turns',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/fail-over',
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
    test: 'sending/senders/choose-senders',
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
    test: 'sending/senders/choose-senders',
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
    test: 'sending/senders/denied',
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
    test: 'sending/senders/choose-senders',
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
    test: 'sending/senders/choose-senders',
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
    test: 'sending/senders/choose-senders',
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
    test: 'sending/deliveries/shared-run-turns',
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
    test: 'sending/deliveries/shared-run-turns',
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
    test: 'sending/deliveries/shared-run-turns',
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
    test: 'sending/deliveries/shared-run-turns',
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
    test: 'sending/senders/denied',
    edits: [
      {
        file: 'sending/deliveries/finish-turns.ts',
        text: 'isDenied ? await reassignDenied(trx, finished) : finished',
        replacement: 'isDenied ? [...finished] : finished',
      },
    ],
  },
  {
    name: 'stand-ins take over although the account is back',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'sending/senders/fail-over.ts',
        text: 'if (!isStillDown) return 0;',
        replacement: 'void isStillDown;',
      },
    ],
  },
  {
    name: 'an owner is asked again and again',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'sending/senders/find-down.ts',
        text: 'coalesce(a.asked_at < a.down_since, true) or',
        replacement: 'true or',
      },
    ],
  },
  {
    name: 'an owner is asked although no other account is up',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'sending/senders/find-down.ts',
        text: 'and o.removed_at is null and o.down_since is null)',
        replacement: 'and o.removed_at is null)',
      },
    ],
  },
  {
    name: 'a lost connection is no downtime',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'platform/database/functions/record_downtime.sql',
        text: "case when new.status <> 'connected'",
        replacement: "case when new.status not in ('connected', 'reconnecting')",
      },
    ],
  },
  {
    name: 'a stand-in takes over whose groups could not be read',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'sending/senders/fail-over.ts',
        text: 'const passed = [...unread.keys()];',
        replacement: 'const passed: AccountId[] = [];',
      },
    ],
  },
  {
    name: 'a stand-in takes over that rests, beside one that does not',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'm.is_resting and m.rank > 1, m.rank',
        replacement: 'm.rank',
      },
    ],
  },
  {
    name: 'the preferred account loses its posts when it rests',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'platform/database/functions/choose_senders.sql',
        text: 'm.is_resting and m.rank > 1, m.rank',
        replacement: 'm.is_resting, m.rank',
      },
    ],
  },
  {
    name: 'nothing returns after a chain of failures',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: '  if (isReturnable)\n',
        replacement: '  if (isReturnable && wanted === undefined)\n',
      },
    ],
  },
  {
    name: 'what may have left is handed over while its account is linked',
    test: 'sending/senders/fail-over',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: "and a.status not in ('unlinked', 'logged_out')))",
        replacement: 'and false))',
      },
    ],
  },
  {
    name: 'a delivery that is handed over keeps its attempts',
    test: 'sending/senders/denied',
    edits: [
      {
        file: 'sending/deliveries/assign-senders.ts',
        text: 'const AFRESH = sql`attempts = 0, uncertain',
        replacement: 'const AFRESH = sql`uncertain',
      },
    ],
  },
  {
    name: 'a workspace that is stopped goes on by its other accounts',
    test: 'sending/accounts/several-accounts',
    edits: [
      {
        file: 'sending/accounts/quarantine-account.ts',
        text: "set held_until = 'infinity' where workspace_id = ${workspaceId}`",
        replacement:
          "set held_until = 'infinity' where workspace_id = ${workspaceId} and (${owner.accountId ?? null}::bigint is null or account_id = ${owner.accountId ?? null})`",
      },
    ],
  },
  {
    name: 'an account that is added to a stopped workspace sends',
    test: 'sending/accounts/several-accounts',
    edits: [
      {
        file: 'sending/accounts/add-account.ts',
        text: 'await stopLikeOthers(trx, actor, added);',
        replacement: 'void stopLikeOthers;',
      },
    ],
  },
  {
    name: 'an account is removed with a recall to carry out',
    test: 'sending/senders/removed',
    edits: [
      {
        file: 'sending/accounts/is-waited-for.ts',
        text: 'from revisions where workspace_id',
        replacement: 'from revisions where false and workspace_id',
      },
    ],
  },
  {
    name: 'an account is removed with a pin to carry out',
    test: 'sending/senders/removed',
    edits: [
      {
        file: 'sending/accounts/is-waited-for.ts',
        text: 'from pins where workspace_id',
        replacement: 'from pins where false and workspace_id',
      },
    ],
  },
  {
    name: 'an account is removed with a turn in hand',
    test: 'sending/senders/removed',
    edits: [
      {
        file: 'sending/accounts/is-waited-for.ts',
        text: 'where account_id = ${accountId} and in_hand_run_id is not null',
        replacement: 'where account_id = ${accountId} and in_hand_run_id is not null and false',
      },
    ],
  },
  {
    name: 'a recall waits for an account that was removed',
    test: 'sending/senders/removed',
    edits: [
      {
        file: 'sending/deliveries/choose-reviser.ts',
        text: 'join accounts a on a.workspace_id = w.workspace_id and a.removed_at is null and',
        replacement: 'join accounts a on a.workspace_id = w.workspace_id and',
      },
    ],
  },
  {
    name: 'no admin recalls what a removed account has sent',
    test: 'sending/deliveries/revise-by-admin',
    edits: [
      {
        file: 'sending/deliveries/choose-reviser.ts',
        text: 'and (${isSender} or ${mayBeAdmin} and m.is_admin and',
        replacement:
          'and (${isSender} or exists (select from lanes n where n.account_id = ${post}.account_id) and ${mayBeAdmin} and m.is_admin and',
      },
    ],
  },
  {
    name: 'an admin corrects what another account has sent',
    test: 'sending/deliveries/revise-by-admin',
    edits: [
      {
        file: 'sending/deliveries/request-revision.ts',
        text: "mayBeAdmin: sql`p.kind = 'recall' and not g.is_channel`",
        replacement: 'mayBeAdmin: sql`not g.is_channel`',
      },
    ],
  },
  {
    name: 'a recall in hand is given to an admin as well',
    test: 'sending/deliveries/revise-by-admin',
    edits: [
      {
        file: 'sending/deliveries/choose-reviser.ts',
        text: 'case when ${v}.wanted is not null and exists (',
        replacement: 'case when false and exists (',
      },
    ],
  },
  {
    name: 'a retry leaves posts with an account that was removed',
    test: 'sending/senders/removed',
    edits: [
      {
        file: 'sending/campaigns/change/retry-campaign.ts',
        text: 'if (isShared) await assignSenders(',
        replacement: 'if (isShared && acceptDuplicates) await assignSenders(',
      },
    ],
  },
  {
    name: 'a receipt ends what a further account has in hand',
    test: 'sending/receipts/received',
    edits: [
      {
        file: 'sending/receipts/record-receipts.ts',
        text: 'left join lanes l on l.account_id = d.account_id',
        replacement:
          'left join lanes l on l.account_id = (select f.account_id from accounts f where f.workspace_id = d.workspace_id and f.is_default)',
      },
    ],
  },
  {
    name: 'receipts count again of a run that was closed after 90 days',
    test: 'sending/receipts/record',
    edits: [
      {
        file: 'platform/database/functions/record_persons.sql',
        text: 'where r.receipts_closed_at is null or d.sent_at > r.receipts_closed_at',
        replacement: 'where r.receipts_closed_at is null or d.sent_at > r.receipts_closed_at or true',
      },
    ],
  },
  {
    name: 'votes count again of a run that was closed after 90 days',
    test: 'sending/receipts/votes.slow',
    edits: [
      {
        file: 'sending/receipts/record-votes.ts',
        text: 'and (r.receipts_closed_at is null or d.sent_at > r.receipts_closed_at)',
        replacement: '',
      },
    ],
  },
  {
    name: 'receipts of a run that was closed are never closed again after a retry',
    test: 'sending/receipts/record',
    edits: [
      {
        file: 'sending/receipts/fold-receipts.ts',
        text: 'coalesce(r.receipts_closed_at >= r.finished_at, false) as closed',
        replacement: 'r.receipts_closed_at is not null as closed',
      },
    ],
  },
  {
    name: 'a further account rests when the default one does, and only then',
    test: 'sending/accounts/daily-cap',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'from accounts a where a.account_id = l.account_id limit 1) then 0',
        replacement: 'from accounts a where a.workspace_id = l.workspace_id and a.is_default limit 1) then 0',
      },
    ],
  },
  {
    name: 'the posts of a further account count for the default one',
    test: 'sending/accounts/daily-cap',
    edits: [
      {
        file: 'platform/database/functions/claim_turns.sql',
        text: 'select i.account_id, i.slot, i.sent from unnest(due_accounts, due_slots, due_sent) i (account_id, slot, sent)',
        replacement:
          'select (select f.account_id from accounts f join accounts o using (workspace_id) where o.account_id = i.account_id and f.is_default), i.slot, i.sent from unnest(due_accounts, due_slots, due_sent) i (account_id, slot, sent)',
      },
    ],
  },
  {
    name: 'a clock that is set back leaves the rests of further accounts as they are',
    test: 'sending/deliveries/clock-set-back.slow',
    edits: [
      {
        file: 'sending/deliveries/limit-future-instants.ts',
        text: 'where ${isChecked(checked)} and l.in_hand_run_id is null',
        replacement:
          'where ${isChecked(checked)} and exists (select from accounts a where a.account_id = l.account_id and a.is_default) and l.in_hand_run_id is null',
      },
    ],
  },
  {
    name: 'a clock that is set back leaves the retries of further accounts as they are',
    test: 'sending/deliveries/clock-set-back.slow',
    edits: [
      {
        file: 'sending/deliveries/limit-future-instants.ts',
        text: 'and d.account_id = any(${rows.map((row) => row.account_id)}::bigint[])',
        replacement: 'and d.account_id in (select a.account_id from accounts a where a.is_default)',
      },
    ],
  },
  {
    name: 'an approval does not know the groups',
    test: 'sending/approvals/approvals',
    edits: [
      {
        file: 'sending/approvals/asked-post.ts',
        text: 'hashBody(JSON.parse(JSON.stringify(post)))',
        replacement: 'hashBody(JSON.parse(JSON.stringify({ ...post, groupIds: [] })))',
      },
    ],
  },
  {
    name: 'an approval does not know the bytes of files',
    test: 'sending/approvals/approvals',
    edits: [
      {
        file: 'sending/approvals/asked-post.ts',
        text: 'hashBody(JSON.parse(JSON.stringify(post)))',
        replacement: 'hashBody(JSON.parse(JSON.stringify({ ...post, sha256s: [] })))',
      },
    ],
  },
  {
    name: 'an approval does not know the plan',
    test: 'sending/approvals/approvals',
    edits: [
      {
        file: 'sending/approvals/asked-post.ts',
        text: 'hashBody(JSON.parse(JSON.stringify(post)))',
        replacement: 'hashBody(JSON.parse(JSON.stringify({ ...post, plan: null, firstDueAt: null })))',
      },
    ],
  },
  {
    name: 'a stored post is approved that is not the one that was asked for',
    test: 'sending/approvals/approvals',
    edits: [
      {
        file: 'sending/approvals/decide-approval.ts',
        text: 'equals(hashPost(post))) return;',
        replacement: 'equals(hash)) return;',
      },
    ],
  },
  {
    name: 'an approval of an earlier version counts for a later one',
    test: 'sending/approvals/approvals',
    edits: [
      {
        file: 'sending/approvals/approval-store.ts',
        text: "e.version = p.version and e.kind = 'approved')\n    as",
        replacement: "e.kind = 'approved')\n    as",
      },
    ],
  },
  {
    name: 'a late 👍 on the first version approves the third, which is the same post again',
    test: 'sending/approvals/review-group',
    edits: [
      {
        file: 'sending/approvals/decide-approval.ts',
        text: 'decision.onPhone === undefined || decision.onPhone.version === version',
        replacement: 'decision.onPhone === undefined || version > 0',
      },
    ],
  },
  {
    name: 'a 👍 on an earlier version is kept and acted upon',
    test: 'sending/approvals/review-group',
    edits: [
      {
        file: 'sending/receipts/record-receipts.ts',
        text: 'and p.version = v.version and p.asked_at <= v.created_at',
        replacement: '',
      },
      {
        file: 'sending/approvals/decide-approval.ts',
        text: 'decision.onPhone === undefined || decision.onPhone.version === version',
        replacement: 'decision.onPhone === undefined || version > 0',
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
