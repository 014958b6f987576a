-- A message is found by its id alone: a second index, by the order of arrival, took as long to keep as the message itself.
alter table sandbox_messages
  drop constraint sandbox_messages_pkey,
  drop constraint sandbox_messages_chat_id_message_id_key,
  add primary key (chat_id, message_id);
