/** Who the examples act as: BASE, USER_NAME and PASSWORD say where and whom; without a user name somebody new is signed up. */
import { createClient, type Client } from '../clients/typescript/client.ts';

const { BASE = 'http://127.0.0.1:3000', USER_NAME, PASSWORD = 'a bell in every tower' } = process.env;

export async function signIn(): Promise<Client> {
  const visitor = createClient({ url: BASE });
  const user_name = USER_NAME ?? (await signUp(visitor));
  const { token } = await visitor.call('user/authorize_user', { user_name, password: PASSWORD });
  return visitor.withToken(token);
}

async function signUp(visitor: Client): Promise<string> {
  const user_name = `ada-${Date.now()}-${process.pid}`;
  const number = '+44 20 7946 0123';
  const names = { first_name: 'Ada', last_name: 'Lovelace', user_name, email: `${user_name}@example.com` };
  const numbers = { phone_number: number, whatsapp_number: number };
  await visitor.call('user/create_user', { ...names, ...numbers, password: PASSWORD });
  return user_name;
}
