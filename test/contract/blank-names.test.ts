/** A name shows something: nothing is stored under a name that nobody can see. */
import { expect, test } from 'vitest';
import { useTestApp } from '../support/app.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const { body: listed } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const group_metadata_ids = listed.data.groups.slice(0, 1).map((one) => one.group_metadata_id);

test.each([
  ['venom/add-account', 'name', {}],
  ['venom/save-group-list', 'name', { group_metadata_ids }],
  ['venom/create-group', 'group_name', { participants: [] }],
  ['venom/create-community', 'community_name', { description: '' }],
  ['venom/create-channel', 'name', { description: '', image: null }],
  ['workspace/create-workspace', 'name', {}],
  ['workspace/rename-workspace', 'name', {}],
  ['user/create_api_key', 'name', { scopes: ['read'] }],
])('%s rejects a blank %s', async (path, field, more) => {
  for (const name of ['\u200b', ' ', '\u3164\u2060', '\u2800'])
    expect((await alice.call(path, { ...more, [field]: name })).body).toMatchObject({
      code: 400,
      details: [{ field, code: 'blank' }],
    });
});

test('a user name shows something', async () => {
  const person = {
    first_name: 'A',
    last_name: '',
    user_name: '\u3164\u3164',
    email: 'blank@example.org',
    phone_number: '+49 151 1234567',
    whatsapp_number: '+49 151 1234567',
    password: 'correct horse battery',
  };
  expect((await app.call('user/create_user', person)).body).toMatchObject({
    code: 400,
    details: [{ field: 'user_name', code: 'blank' }],
  });
});
