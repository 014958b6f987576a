-- Replaces stored names of time zones that the service no longer accepts with the zones that they stood for.
--
-- Zones used to be checked by ICU (`Intl.DateTimeFormat`). It accepts 40 names in any letter case that `Temporal`, which makes all
-- calculations, rejects: 25 abbreviations that Java once had, 2 names that the IANA database has dropped, and 13 of System V. Each becomes
-- the zone that ICU took it for, so that clocks go on as the dashboard showed them. ICU gives the six of System V that have clock changes
-- the dates of before 2007; they become the zones of today. PostgreSQL reads some of the names in another way (`IST` as Israel's time), so
-- it is not asked.
--
-- A name that is not in this table stays. Whether it is known depends on the process that reads it, which falls back to `TIME_ZONE` for a
-- user and asks for another zone for a campaign; `campanile doctor` names it.
--
-- Locks: the rows of `users`, `campaigns` and `drafts` that hold such a name, until all three tables were read once: within a second for
-- 100,000 campaigns and 10,000 drafts. `deliveries` and `runs` hold no zones.

with legacy (name, zone) as (values
    ('ACT', 'Australia/Darwin'),
    ('AET', 'Australia/Sydney'),
    ('AGT', 'America/Argentina/Buenos_Aires'),
    ('ART', 'Africa/Cairo'),
    ('AST', 'America/Anchorage'),
    ('BET', 'America/Sao_Paulo'),
    ('BST', 'Asia/Dhaka'),
    ('CAT', 'Africa/Maputo'),
    ('CNT', 'America/St_Johns'),
    ('CST', 'America/Chicago'),
    ('CTT', 'Asia/Shanghai'),
    ('EAT', 'Africa/Nairobi'),
    ('ECT', 'Europe/Paris'),
    ('IET', 'America/Indiana/Indianapolis'),
    ('IST', 'Asia/Kolkata'),
    ('JST', 'Asia/Tokyo'),
    ('MIT', 'Pacific/Apia'),
    ('NET', 'Asia/Yerevan'),
    ('NST', 'Pacific/Auckland'),
    ('PLT', 'Asia/Karachi'),
    ('PNT', 'America/Phoenix'),
    ('PRT', 'America/Puerto_Rico'),
    ('PST', 'America/Los_Angeles'),
    ('SST', 'Pacific/Guadalcanal'),
    ('VST', 'Asia/Ho_Chi_Minh'),
    ('CANADA/EAST-SASKATCHEWAN', 'America/Regina'),
    ('US/PACIFIC-NEW', 'America/Los_Angeles'),
    ('SYSTEMV/AST4', 'America/Puerto_Rico'),
    ('SYSTEMV/AST4ADT', 'America/Halifax'),
    ('SYSTEMV/CST6', 'America/Regina'),
    ('SYSTEMV/CST6CDT', 'America/Chicago'),
    ('SYSTEMV/EST5', 'America/Panama'),
    ('SYSTEMV/EST5EDT', 'America/New_York'),
    ('SYSTEMV/HST10', 'Pacific/Honolulu'),
    ('SYSTEMV/MST7', 'America/Phoenix'),
    ('SYSTEMV/MST7MDT', 'America/Denver'),
    ('SYSTEMV/PST8', 'Pacific/Pitcairn'),
    ('SYSTEMV/PST8PDT', 'America/Los_Angeles'),
    ('SYSTEMV/YST9', 'Pacific/Gambier'),
    ('SYSTEMV/YST9YDT', 'America/Anchorage')
), of_users as (
  update users u set time_zone = l.zone from legacy l where l.name = upper(u.time_zone)
), of_campaigns as (
  update campaigns c set time_zone = l.zone from legacy l where l.name = upper(c.time_zone)
)
update drafts d set content = jsonb_set(d.content, '{time_zone}', to_jsonb(l.zone))
from legacy l where l.name = upper(d.content ->> 'time_zone');
