-- Which account has sent with a number: an admin deletes or pins the post of another number by that number, also once its account is gone.
-- Locks: whatsapp_numbers exclusively, for milliseconds: a nullable column writes no row, and each workspace has a few.

alter table whatsapp_numbers add column account_id bigint;  -- no foreign key: the number outlives the account

update whatsapp_numbers n set account_id = a.account_id
from accounts a where a.workspace_id = n.workspace_id and n.number in (a.linked_number, a.whatsapp_digits);
