-- What live progress is read from (docs/explanation/decisions/0018-count-changes-on-the-lane.md).

-- Up by one in each transaction that changes a campaign of the account, or what became of it, but for the claims and finishes of
-- turns, which the turn's number tells of. Whoever watches an account compares both with what they were, and reads campaigns only
-- when they have moved.
alter table lanes add changes bigint not null default 0;

-- What turned out to have been sent although it had been cancelled, or given up, meanwhile. The truth wins. It is noted on the lane,
-- which a turn that was lost does not move.
create function write_late_truth(
    living bigint[], sent_accounts bigint[], sent_runs bigint[], sent_firsts int[], sent_lasts int[], sent_skipped int[],
    sent_recipients int[])
  returns void language sql as $$
  with late as materialized (
    select d.account_id, d.run_id, d.position, d.status as was, sent_recipients[o.skipped + d.position - o.first + 1] as recipients
    from unnest(sent_accounts, sent_runs, sent_firsts, sent_lasts, sent_skipped) o (account_id, run_id, first, last, skipped)
    join deliveries d on d.account_id = o.account_id and d.run_id = o.run_id and d.position between o.first and o.last
    where d.status in ('cancelled', 'failed') and o.account_id = any(living)
  ), told as (
    update deliveries d set status = 'sent', sent_at = campanile_now(), recipients = late.recipients, error = null
    from late where d.account_id = late.account_id and d.run_id = late.run_id and d.position = late.position
  )
  update runs r set sent = r.sent + t.cancelled + t.failed, cancelled = r.cancelled - t.cancelled, failed = r.failed - t.failed
  from (select account_id, run_id, count(*) filter (where was = 'cancelled')::int as cancelled,
               count(*) filter (where was = 'failed')::int as failed
        from late group by account_id, run_id) t
  where r.account_id = t.account_id and r.run_id = t.run_id;

  update lanes set changes = changes + 1 where account_id = any(living);

  select clear_errors(sent_accounts, sent_runs)
$$;

-- Sums of the run's deliveries, kept by whatever counts a receipt, so that progress reads runs and nothing else.
alter table runs add delivered int not null default 0;
alter table runs add read      int not null default 0;
update runs r set delivered = d.delivered, read = d.read
from (select account_id, run_id, sum(delivered)::int as delivered, sum(read)::int as read from deliveries group by 1, 2) d
where r.account_id = d.account_id and r.run_id = d.run_id and (d.delivered > 0 or d.read > 0);

-- What has begun, of campaigns most of whose runs have not.
create index runs_begun on runs (campaign_id) where status <> 'planned';
-- An account's campaigns that have not ended come last, before them the latest that have.
create index campaigns_ended on campaigns (account_id, (coalesce(finished_at, 'infinity'::timestamptz)));
