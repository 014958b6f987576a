-- Why a post was not sent, by a code with its parameters beside the sentence (docs/explanation/decisions/0125-tell-failures-by-code.md). The
-- codes are those of src/platform/errors/failures.ts. A sentence that none of them has is `other`. The reason of a post that a
-- follow-up left out, or that may have arrived, needs no word before it any more by which to tell it.
--
-- Locks: deliveries and group_sums exclusively, until it ends. Deliveries are read twice, some 1 s for each million; those with an error are
-- written once, some 10 s for each million.

alter table deliveries
  add column error_code   text,   -- why it was not sent, or not yet: a code of src/platform/errors/failures.ts; null: no error
  add column error_params jsonb;  -- the figures and names of its sentence

alter table group_sums add column failure jsonb;  -- why the delivery of error_run_id was not sent: its error, its code and its params

-- Each sentence once, however long.
create temp table sentences on commit drop as
select e.error, c.is_unknown, c.cause, coalesce(k.code, 'other') as code, k.params
from (
  select error from deliveries where error is not null
  union
  select error from group_sums where error is not null
) e
cross join lateral (
  select e.error like 'outcome\_unknown%' as is_unknown, regexp_replace(e.error, '^(outcome_unknown|skipped): ', '') as cause) c
left join lateral (
  select p.code, case when p.name is not null then jsonb_build_object(
           p.name, case when p.name in ('why', 'rest') then to_jsonb(left(m.found[1], 200)) else to_jsonb(m.found[1]::int) end) end as params
  from (values
    ('not_acknowledged', '^WhatsApp has not acknowledged the post$', null),
    ('may_be_acknowledged', '^WhatsApp may still acknowledge the post$', null),
    ('connection_broke', '^(The connection broke while the post was being sent|the connection to the messaging application broke)$', null),
    ('part_sent', '^A part of the post was sent, and the rest was not: (.*)$', 'rest'),
    ('not_found', '^it was not found among the recent posts$', null),
    ('posts_unread', '^the recent posts could not be read: (.*)$', 'why'),
    ('not_tried_again', '^it could not be tried again in time$', null),
    ('interrupted', '^its sending was interrupted (\d{1,4}) times, so it may crash the worker$', 'times'),
    ('sender_removed', '^The account that may have sent it was removed', null),
    ('restored', '^the post may have been sent before this ledger was restored$', null),
    ('already_read', '^read by (\d{1,4}) %$', 'percent'),
    ('reads_unknown', '^reads unknown$', null),
    ('expired', '^expired: it could not be sent in time$', null),
    ('group_gone', '^The group no longer exists, or you are not a member of it', null),
    ('no_member_left', '^The group is gone: no account of the workspace is a member any more$', null),
    ('not_a_member', '^You are not a member of this group$', null),
    ('may_not_post', '^You may not post here: only admins may, or you are not a member$', null),
    ('admins_only', '^(Only admins may post in this group$|You may not post here: only admins may\. Ask)', null),
    ('community_itself', '^A community takes no posts itself', null),
    ('post_refused', '^WhatsApp does not take this \((\d{1,4})\)$', 'code'),
    ('text_too_long', '^The text is longer than (\d{1,9}) characters$', 'limit'),
    ('nothing_visible', '^Members would see nothing of the post$', null),
    ('votes_in_channel', '^Votes cannot be counted in a channel$', null),
    ('file_too_large', '^WhatsApp does not take a file of this size \((\d{1,4})\)$', 'code'),
    ('file_type_refused', '^WhatsApp does not take this file \((\d{1,4})\)$', 'code'),
    ('file_refused', '^WhatsApp''s media host refused the file for the moment \((\d{1,4})\)$', 'code'),
    ('upload_refused', '^WhatsApp did not say where to upload the file to \((\d{1,4})\)$', 'code'),
    ('file_not_uploaded', '^The file could not be uploaded yet$', null),
    ('file_uploading', '^The file is being uploaded$', null),
    ('refused_for_now', '^WhatsApp refused this for the moment \((\d{1,4})\)$', 'code'),
    ('members_outdated', '^WhatsApp says that what is known of the members is outdated \((\d{1,4})\)$', 'code'),
    ('members_not_reached', '^The members of the group could not be written to$', null),
    ('addressing_refused', '^WhatsApp does not take the way in which the group addresses its members \((\d{1,4})\)$', 'code'),
    ('chats_limited', '^WhatsApp lets this number begin no more private chats for now \((\d{1,4})\)$', 'code'),
    ('chats_locked', '^WhatsApp keeps this number from beginning new private chats', null)
  ) p (code, pattern, name)
  cross join lateral (select regexp_match(c.cause, p.pattern) as found) m
  where m.found is not null limit 1) k on true;

create temp table coded on commit drop as
select error, case when code in ('already_read', 'reads_unknown') then cause else error end as sentence,
       case when is_unknown then 'outcome_unknown' else code end as code,
       case when is_unknown
            then jsonb_build_object('cause', code) || coalesce(params, case code when 'other' then jsonb_build_object('text', left(cause, 200)) else '{}' end)
            else params end as params
from sentences;

analyze coded;

-- No delivery changes but in its words: nobody is told, and no sum changes.
alter table deliveries disable trigger deliveries_events, disable trigger deliveries_summed;
update deliveries d set error = k.sentence, error_code = k.code, error_params = k.params
from coded k where d.error = k.error;
alter table deliveries enable trigger deliveries_events, enable trigger deliveries_summed;

update group_sums s set failure = jsonb_build_object('error', k.sentence, 'code', k.code, 'params', k.params)
from coded k where s.error = k.error;
alter table group_sums drop column error;
