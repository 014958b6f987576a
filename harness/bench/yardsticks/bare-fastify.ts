/**
 * The least that Fastify, zod, fast-jwt and pg can do, behind a token and in the envelope of ours: preview-campaign does nothing,
 * get_profile asks the database in DATABASE_URL what ours does. Run as a process of its own; says where it listens and which token
 * it takes.
 */
import { createSigner, createVerifier } from 'fast-jwt';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import pg from 'pg';
import { z } from 'zod';
import { htmlBody, previewData } from '../../../src/api/contract/campaigns.ts';
import { ownProfile } from '../../../src/api/contract/users.ts';

const key = 'a secret of at least thirty-two characters';
/** As many as the service has for requests. */
const POOL_SIZE = 8;
/** Who signed up first in an empty database, with the workspace of theirs. */
const USER_ID = 1;
const WORKSPACE_ID = 1;
const LIMIT = 10_000;

interface UserRow {
  user_id: number;
  email: string;
  user_name: string;
  phone_number: string;
  first_name: string;
  last_name: string;
  whatsapp_number: string;
  first_signed_in_at: Date | null;
  time_zone: string | null;
  stored_bytes: number;
  open_campaigns: number;
}

const token = createSigner({ key, expiresIn: 3_600_000 })({ sub: '1' });
const verify = createVerifier({ key, cache: true, cacheTTL: 600_000 });

// Ids are numbers on the wire.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE });
const app = fastify({ logger: false }).withTypeProvider<ZodTypeProvider>();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
app.route({
  method: 'POST',
  url: '/api/v1/venom/preview-campaign',
  schema: { body: htmlBody, response: { 200: enveloped(previewData) } },
  onRequest: requireToken,
  handler: async ({ body }) =>
    envelop({ text: body.html, length: body.html.length, limit: 65_536, warnings: [], links: [] }),
});
app.route({
  method: 'POST',
  url: '/api/v1/user/get_profile',
  schema: { body: z.object({}), response: { 200: enveloped(ownProfile) } },
  onRequest: requireToken,
  handler: async () => {
    const { rows } = await pool.query<UserRow>(
      'select u.*, q.* from users u left join measure_use($1, $2) q on true where u.user_id = $3 and u.deleted_at is null',
      [WORKSPACE_ID, LIMIT, USER_ID],
    );
    const [user] = rows;
    if (!user) throw new Error('there is no user');
    const { first_signed_in_at, whatsapp_number, time_zone, stored_bytes, open_campaigns, ...row } = user;
    const user_info = { ...row, wharsapp_number: whatsapp_number, is_first_login: first_signed_in_at === null };
    const quotas = {
      stored_bytes: { used: stored_bytes, limit: LIMIT },
      campaigns: { used: open_campaigns, limit: LIMIT },
      groups_created: null,
    };
    return envelop({ user_info, time_zone: time_zone ?? 'UTC', is_admin: false, quotas });
  },
});

function enveloped<Data extends z.ZodType>(data: Data) {
  return z.object({ error: z.literal(false), status: z.literal('success'), code: z.literal(200), data });
}

function envelop<Data>(data: Data) {
  return { error: false as const, status: 'success' as const, code: 200 as const, data };
}

function requireToken(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  try {
    verify(request.headers.authorization?.slice('Bearer '.length) ?? '');
    done();
  } catch {
    reply.code(401).send();
  }
}

process.once('SIGTERM', () => void app.close().then(() => pool.end()));
const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ url, token }));
