-- Who wrote a post that waits for an approval (docs/explanation/decisions/0106-approve-a-post-by-its-hash.md), and who made a link to a
-- report (docs/explanation/decisions/0101-share-a-report-by-an-expiring-link.md).
-- Locks: drafts, approvals and report_links exclusively, for milliseconds: constant defaults and a nullable column write no row. Approvals
-- and links get one update each: a workspace has at most 200 and 50.

-- The users who began or changed it, each once; no foreign key: people come and go.
alter table drafts add column written_by bigint[] not null default '{}';
-- The users who asked for a version of it, or wrote its draft before: they do not approve it.
alter table approvals add column written_by bigint[] not null default '{}';
update approvals p
set written_by = array(
  select distinct e.user_id from approval_entries e
  where e.workspace_id = p.workspace_id and e.approval_id = p.approval_id and e.kind = 'asked');

alter table report_links add column created_by bigint;  -- a user; null: not known
-- A link and its audit entry are written in the same transaction.
update report_links l
set created_by = a.user_id
from audit_log a
where a.workspace_id = l.workspace_id and a.at = l.created_at and a.action = 'report.shared';
create index report_links_person on report_links (created_by);
