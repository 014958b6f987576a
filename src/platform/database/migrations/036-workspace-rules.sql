-- How often everybody in a group may be mentioned, and how many posts a group may get: rules of the workspace, whose groups they are about.
-- Locks: workspaces and accounts exclusively. Each workspace that changed a rule of its default account is written once.
alter table workspaces
  -- How often a day all members of one group may be mentioned; 0: never.
  add column mention_all_cap smallint not null default 1,
  -- More posts to one group in seven days are warned of; null: they are not.
  add column weekly_posts smallint default 7,
  add constraint workspaces_mention_all_cap check (mention_all_cap between 0 and 10),
  add constraint workspaces_weekly_posts check (weekly_posts between 1 and 100);
update workspaces w set mention_all_cap = a.mention_all_cap, weekly_posts = a.weekly_posts
from accounts a
where a.workspace_id = w.workspace_id and a.is_default and (a.mention_all_cap, a.weekly_posts) is distinct from (1, 7);
alter table accounts drop column mention_all_cap, drop column weekly_posts;
