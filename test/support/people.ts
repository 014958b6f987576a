import { randomBytes } from 'node:crypto';
import type { UserId } from '../../src/platform/database/schema.ts';
import type { TestServer } from './http/server.ts';

export interface Person {
  userId: UserId;
  userName: string;
  email: string;
  password: string;
  token: string;
}

/** Signs a person up and in. Names get a suffix, so that a file can have any number of Alices. */
export async function person(server: TestServer, name: string): Promise<Person> {
  const userName = `${name}-${randomBytes(4).toString('hex')}`;
  const signUp = signUpOf(userName);
  await server.post('/api/v1/user/create_user', signUp);
  const token = await signIn(server, signUp);
  const profile = await server.post('/api/v1/user/get_profile', {}, { token });
  const { data } = profile.body as { data: { user_info: { user_id: UserId } } };
  return { userId: data.user_info.user_id, userName, email: signUp.email, password: signUp.password, token };
}

export function signUpOf(userName: string) {
  return {
    first_name: 'Al',
    last_name: '',
    user_name: userName,
    email: `${userName}@example.com`,
    phone_number: '+49 (151) 2345-678',
    whatsapp_number: '0049.151.2345.679',
    password: `password of ${userName}`,
  };
}

/** Returns a new token; throws if the credentials are rejected. */
export async function signIn(
  server: TestServer,
  { user_name, password }: { user_name: string; password: string },
): Promise<string> {
  const answer = await server.post('/api/v1/user/authorize_user', { user_name, password });
  if (answer.status !== 200) throw new Error(`sign-in failed: ${answer.text}`);
  return (answer.body as { data: { token: string } }).data.token;
}
