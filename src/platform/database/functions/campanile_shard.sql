-- 256 shards: what is leased to workers. A take-over writes shards, not accounts.
create or replace function campanile_shard(account_id bigint) returns smallint language sql immutable parallel safe
  as 'select (account_id & 255)::smallint';
