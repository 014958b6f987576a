/** A chat's identifier as the wire has it. */
export function toNid(chatId: string) {
  const [user = '', server = ''] = chatId.split('@');
  return { server, user, _serialized: chatId };
}
