/** Many big campaigns sent to a running service at once. */
import { createHash, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { PASSWORD, post } from '../app.ts';
import { PNG } from '../inputs/sample-files.ts';

/** A user, and the sandbox groups to send to. */
export interface Sender {
  token: string;
  groupIds: number[];
}

/** The result of one upload; status 0 if the connection broke. */
export interface Uploaded {
  status: number;
  retryAfter: string | undefined;
  /** Hash of the sent file. */
  sha256: string;
  sender: Sender;
  campaignId: string | undefined;
}

/** A picture, with more behind its end: multiples of three bytes. */
const PICTURE = Buffer.concat([PNG, Buffer.alloc(3 - (PNG.length % 3))]);
const OWN_BYTES = 12;

/** Signs up a sender. */
export async function signUpSender(url: string, name: string): Promise<Sender> {
  const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
  const user = { first_name: 'Alice', last_name: '', user_name: name, email: `${name}@example.com`, ...numbers };
  await post(url, 'user/create_user', { ...user, password: PASSWORD });
  const signedIn = await post(url, 'user/authorize_user', { user_name: name, password: PASSWORD });
  const { token } = signedIn.body.data as unknown as { token: string };
  const listed = await post(url, 'venom/list-groups', {}, token);
  const { groups } = listed.body.data as unknown as { groups: Array<{ group_metadata_id: number }> };
  return { token, groupIds: groups.map((group) => group.group_metadata_id) };
}

/** Sends `count` campaigns at once, each with a different file of `bytes` bytes. Resolves when all have succeeded or failed. */
export async function storm(
  url: string,
  senders: readonly Sender[],
  { count, bytes }: { count: number; bytes: number },
): Promise<Uploaded[]> {
  const agent = new Agent({ maxSockets: Infinity });
  // All files have the same tail, so that the test needs little memory; base64 of multiples of three bytes can be concatenated.
  const tail = randomBytes(bytes - PICTURE.length - OWN_BYTES);
  const tailText = Buffer.from(tail.toString('base64'), 'latin1');
  try {
    return await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const sender = senders[index % senders.length];
        if (!sender) throw new Error('a storm needs a sender');
        const head = Buffer.concat([PICTURE, randomBytes(OWN_BYTES)]);
        const campaign = { name: `Storm ${index}`, html: 'Look', group_metadata_ids: sender.groupIds.slice(0, 1) };
        const open = `${JSON.stringify(campaign).slice(0, -1)},"image":"data:image/png;base64,${head.toString('base64')}`;
        const sha256 = createHash('sha256').update(head).update(tail).digest('hex');
        return upload(`${url}/api/v1/venom/add-campaign`, agent, sender, [
          Buffer.from(open),
          tailText,
          Buffer.from('"}'),
        ]).then((answer) => ({ ...answer, sha256, sender }));
      }),
    );
  } finally {
    agent.destroy();
  }
}

function upload(url: string, agent: Agent, { token }: Sender, parts: readonly Buffer[]) {
  return new Promise<Pick<Uploaded, 'status' | 'retryAfter' | 'campaignId'>>((resolve) => {
    const broken = () => resolve({ status: 0, retryAfter: undefined, campaignId: undefined });
    const headers = {
      'content-type': 'application/json',
      'content-length': parts.reduce((sum, part) => sum + part.length, 0),
      authorization: `Bearer ${token}`,
    };
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('close', broken);
      answer.once('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { data: { campaign_id: string } | null };
        resolve({
          status: answer.statusCode ?? 0,
          retryAfter: answer.headers['retry-after'],
          campaignId: body.data?.campaign_id,
        });
      });
    });
    sent.on('error', broken);
    for (const part of parts) sent.write(part);
    sent.end();
  });
}
