-- Requests that must not take effect twice (contract §4, Idempotency-Key).

create table idempotency_keys (
  user_id    bigint      not null references users on delete cascade,
  key        text        not null,
  operation  text        not null,
  body_hash  bytea       not null,
  result     jsonb,                            -- null: begun, and its outcome is not known
  created_at timestamptz not null default campanile_now(),
  primary key (user_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
